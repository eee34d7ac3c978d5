"""What the table of drills says of a condition, and what stands below it."""

import json
from dataclasses import replace

import pytest

from kgate.model import SWITCH_ON, Outcome, Report, Run
from kgate.reports import Style, render
from tests.unit.builders import answer, drill, drilled, failure, report_of, run_of, with_outcomes

FELL_BACK = answer(reached_custom=0, reached_fallback=1, logged=True)
NOT_CALLED = answer(reached_custom=0, reached_fallback=1, not_met="acme.gemm:fused was not called")
LEFT_OUT = failure("unavailable", "left out, since acme.gemm:eager hung without it", rung="environment")


def met(outcome: Outcome, run: Run | None = None) -> Report:
    return report_of(replace(drilled(run or run_of(), (drill(), outcome)), drills_only=True))


def told(report: Report) -> list[str]:
    return [render(report, form, Style()) for form in ("text", "markdown")]


@pytest.fixture
def turned_down() -> Run:
    """Whose dispatch never comes to the kernel, which is said once and not of the condition."""
    return with_outcomes(run_of(), (SWITCH_ON, answer(reached_custom=0, reached_fallback=1)))


def test_an_answer_that_is_no_test_is_not_called_right_and_the_reason_stands_below(turned_down: Run) -> None:
    for text in told(met(NOT_CALLED, turned_down)):
        (row,) = [line for line in text.splitlines() if "package-absent" in line and "fallback" in line]
        assert "not met" in row
        assert "right" not in row
        assert "not met: package-absent: acme.gemm:fused was not called" in text


def test_where_a_rule_says_so_too_both_stand_in_the_row() -> None:
    for text in told(met(NOT_CALLED)):
        assert "not met, fallback-untested" in text


def test_what_was_left_out_is_not_run_and_says_why() -> None:
    for text in told(met(LEFT_OUT)):
        assert "not run: package-absent: left out, since acme.gemm:eager hung without it" in " ".join(text.split())


@pytest.mark.parametrize(("outcome", "why"), [(NOT_CALLED, "acme.gemm:fused was not called"), (FELL_BACK, "")])
def test_the_json_has_the_reason_at_the_case(outcome: Outcome, why: str) -> None:
    body = json.loads(render(met(outcome), "json", Style()))

    assert body["kernels"][0]["drills"][0]["cases"][0]["not_met"] == why
