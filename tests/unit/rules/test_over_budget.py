"""What is said of a case that --budget has left without an answer."""

from dataclasses import replace

from kgate.model import Decision, Verdict, verdict_of
from tests.unit.builders import judged, ratio, run_of, with_latency

OPEN = Decision.INCONCLUSIVE
PAYS = ratio(below="fallback", median=0.5)


def test_a_case_that_the_budget_left_no_launch_for_is_not_green_and_says_how_to_go_on():
    run = run_of(on_gpu=True)
    run = replace(run, latency={}, over_budget=frozenset(run.cases))

    (found,) = [f for f in judged(run, {}) if f.rule == "not-measured"]

    assert found.sentence.endswith("is right, and no launch timed it: --budget was spent before")
    assert found.advice.startswith("Give --budget more minutes")
    assert verdict_of((found,)) is Verdict.NO_VERDICT


def test_a_case_that_the_budget_left_open_is_inconclusive_and_asks_for_minutes_and_not_for_launches():
    spent = replace(ratio(median=1.2, decision=OPEN), reason="--budget was spent after 5 of 8 launches")
    run = with_latency(run_of(on_gpu=True), spent, PAYS)

    (found,) = judged(replace(run, over_budget=frozenset(run.cases)))

    assert (found.rule, found.undecided) == ("slower-than-base", True)
    assert found.sentence.endswith("+20.0 %, --budget was spent after 5 of 8 launches")
    assert found.advice.startswith("Give --budget more minutes")
