"""Device times for pytest-benchmark, where it is installed: its table, --benchmark-json, -compare and -autosave."""

from dataclasses import dataclass
from typing import Any

import pytest

from kgate.model import Report
from kgate.reports.pytest_benchmark import extra, options, seconds

SESSION = "pytest-benchmark"  # as which it registers its session with pytest


@dataclass(frozen=True, kw_only=True)
class Source:
    """What pytest-benchmark's Metadata reads of the fixture that times for it; nobody times here."""

    name: str
    fullname: str
    extra_info: dict[str, Any]
    group: None = None
    param: None = None
    params: None = None
    cprofile_stats: None = None
    has_error: bool = False


def carry(config: pytest.Config, report: Report, kernel: str, workload: str, fullname: str) -> None:
    """The samples of a case's custom path, if there are any and somebody collects them."""
    session = config.pluginmanager.get_plugin(SESSION)
    if session is None or session.disabled or session.skip:
        return
    from pytest_benchmark import stats

    made: Any = stats.Metadata  # which has no types

    for case, found in report.run.latency.items():
        if (case.kernel, case.workload) == (kernel, workload) and (data := seconds(found)):
            source = Source(name=case.stable_name, fullname=fullname, extra_info=extra(case, found))
            carried = made(source, iterations=1, options=options(found))
            for one in data:
                carried.update(one)
            session.benchmarks.append(carried)
