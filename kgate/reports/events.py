"""The event stream: a JSON object a line, for programs that watch a run. No format: it comes while the run lasts."""

import json
from collections.abc import Iterator

from kgate.model import Event, Report
from kgate.reports.document import finding, finite


def render(event: Event) -> str:
    """One line without its newline, ASCII only, so that no text of a kernel's can move a terminal or forge a line."""
    return json.dumps(finite({"event": event.name, **event.fields}), allow_nan=False, default=str)


def of_report(report: Report) -> Iterator[Event]:
    """What is known once the run is over: each finding, worst first, then the verdict."""
    for found in report.findings:
        yield Event(name="finding", fields=finding(found))
    yield Event(
        name="run-ended",
        fields={
            "verdict": report.verdict.value,
            "exit_code": report.verdict.exit_code.value,
            "findings": len(report.findings),
            "cases": len(report.run.cases),
            "wall_s": report.wall_s,
        },
    )
