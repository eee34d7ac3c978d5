"""The report at a terminal."""

import pytest

from kgate.model import HEAD, Verdict
from kgate.reports import Style, text
from kgate.reports.text import elided
from tests.unit.builders import failure, kernel, report_of, run_of, with_outcomes
from tests.unit.reports.sample import sample


@pytest.mark.parametrize("width", [80, 100, 160])
def test_no_line_is_wider_than_asked(width):
    lines = text.render(sample(), Style(width=width)).splitlines()

    assert max(len(line) for line in lines) <= width


def test_the_first_line_is_the_verdict():
    assert text.render(report_of(run_of()), Style()).startswith(
        "kgate: pass: nothing to mend; 1 case of 1 kernel on cpu"
    )


def test_colour_is_only_where_asked_and_changes_no_word():
    plain, coloured = text.render(sample(), Style()), text.render(sample(), Style(colour=True))

    assert "\x1b" not in plain
    assert coloured.startswith("\x1b[1;31mkgate: fail\x1b[0m: ")
    assert coloured.replace("\x1b[1;31m", "").replace("\x1b[1m", "").replace("\x1b[0m", "") == plain


def test_escape_sequences_of_a_kernel_are_shown_and_not_obeyed():
    run = with_outcomes(run_of(kernel("a\x1b[2Jb")), (HEAD, failure(text="\x1b[32mkgate: pass\x1b[0m\r\n")))

    shown = text.render(report_of(run), Style(colour=True))

    assert "\x1b[2J" not in shown
    assert "\x1b[32m" not in shown
    assert "␛[32mkgate: pass␛[0m" in shown


def test_a_long_name_gives_way_in_the_middle():
    assert elided("linear_gelu/decode64", 12) == "line…ecode64"
    assert elided("short", 12) == "short"


def test_workloads_that_fail_alike_are_one_group():
    run = with_outcomes(run_of(kernel(workloads=("a", "b", "c"))), (HEAD, failure()))

    shown = text.render(report_of(run), Style())

    assert shown.count("does-not-run  gemm (3 cases)") == 1
    assert shown.count("do: ") == 1


def test_a_run_without_cases_says_so():
    report = report_of(run_of(kernel(workloads=())))

    assert report.verdict is Verdict.NO_VERDICT
    assert "no cases" in text.render(report, Style())
