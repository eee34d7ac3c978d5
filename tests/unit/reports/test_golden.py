"""Text and comment byte for byte. `KGATE_REFRESH_GOLDEN=1 pytest tests/unit/reports` writes them anew, for review."""

import os
from pathlib import Path

import pytest

from kgate.model import Report
from kgate.reports import Style, render
from tests.unit.builders import report_of, run_of
from tests.unit.reports.recorded import recorded
from tests.unit.reports.sample import sample

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.mark.parametrize(
    ("name", "form", "report"),
    [
        ("every-finding.txt", "text", sample()),
        ("every-finding.md", "markdown", sample()),
        ("every-finding.junit.xml", "junit", sample()),
        ("every-finding.github.txt", "github", sample()),
        ("broken.md", "markdown", recorded("broken")),
        ("green.txt", "text", report_of(run_of())),
        ("green.md", "markdown", report_of(run_of())),
    ],
)
def test_a_report_is_the_golden_one(name: str, form: str, report: Report):
    shown = render(report, form, Style())

    if os.environ.get("KGATE_REFRESH_GOLDEN") == "1":
        (GOLDEN / name).write_text(shown, encoding="utf-8")
    assert shown == (GOLDEN / name).read_text(encoding="utf-8")
