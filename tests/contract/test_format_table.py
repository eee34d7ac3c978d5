"""Every format, through the whole of its contract."""

from dataclasses import replace
from pathlib import Path

import pytest

from kgate import reports
from kgate.reports import FORMATS, Style, render
from tests.unit.builders import kernel, report_of, run_of
from tests.unit.reports.sample import sample

# `document` writes what users call json; a module of that name would hide the standard library's.
FILES = {"document": "json"}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("colour", [False, True])
def test_a_format_renders_each_kind_of_report_to_whole_lines(name, colour):
    empty = report_of(run_of(kernel(workloads=())))
    for report in (sample(), report_of(run_of()), empty, replace(empty, base="", command="")):
        shown = render(report, name, Style(colour=colour))

        assert shown.endswith("\n")
        assert report.verdict.value in shown
        assert shown == FORMATS[name].render(report, Style(colour=colour))


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_names_each_rule_that_blocks(name):
    report = sample()

    shown = render(report, name, Style()).replace("\\", "")

    assert all(f.rule in shown for f in report.findings if f.blocks)


def test_every_file_of_the_room_is_in_the_table():
    folder = Path(reports.__file__).parent

    files = {path.stem for path in folder.glob("*.py") if not path.name.startswith("_")}

    # `events` is the stream that comes while a run lasts, which no report can be rendered to.
    assert {FILES.get(stem, stem.replace("_", "-")) for stem in files - {"events"}} == set(FORMATS)
    assert all(name == FORMATS[name].NAME for name in FORMATS)
