"""What was carried is told as carried, with the run that measured it."""

from dataclasses import replace

from kgate.model import Carried, Run, Verdict
from kgate.reports import Style, render
from tests.unit.builders import case, kernel, report_of, run_of

WHY = Carried(run="0123456789abcdef", commit="a" * 40, started="2026-10-06T08:00:00+00:00")


def run(*, measured: bool) -> Run:
    made = run_of(kernel(), kernel("norm")) if measured else run_of(kernel("norm"))
    left = tuple(c for c in made.cases if c.kernel != "norm")
    return replace(made, cases=left, carried={case("norm"): WHY})


def test_a_carried_case_is_in_no_table_and_its_run_is_named() -> None:
    report = report_of(run(measured=True))

    text, markdown = (render(report, form, Style(colour=False, width=80)) for form in ("text", "markdown"))

    assert "1 case of 1 kernel on cpu, 1 case carried" in " ".join(text.split())
    told = (
        "carried, not measured: 1 case of 1 kernel, which run 0123456789abcdef of 2026-10-06 proved at commit aaaaaaaaa"
    )
    assert told in " ".join(text.split())
    assert told in markdown
    assert "norm/small" not in markdown


def test_a_run_that_carries_everything_passes_and_one_without_any_case_does_not() -> None:
    whole = run(measured=False)

    assert report_of(whole).verdict is Verdict.PASS
    assert report_of(replace(whole, carried={})).verdict is Verdict.NO_VERDICT
