"""What the minutes of `--budget` are spent on, with a clock that the test sets."""

import math
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from kgate.allowance import NO_END, Allowance, Purse, left_over
from kgate.model import Case
from tests.unit.numbers.times import cases

FIVE = cases(5)


def purse(budget_s: float, weights: dict[Case, float] | None = None, lanes: int = 1) -> Purse:
    return Purse(Allowance(began_s=100.0, budget_s=budget_s), weights or {}, "cuda", lanes)


def test_without_a_budget_every_launch_can_be_afforded():
    plenty = Purse(NO_END, {}, "cuda", 1)

    assert plenty.affordable(dict.fromkeys(range(32), FIVE), 1e9, confirming=False) == tuple(FIVE)
    assert left_over(NO_END, (), 5) == ""


def test_the_heaviest_cases_are_launched_and_the_lightest_left():
    weights = dict(zip(FIVE, (1.0, 6.0, 3.0, 1.0, 2.0), strict=True))
    little = purse(100.0, weights)
    little.reckon(dict.fromkeys(FIVE, 2.0), wall_s=11.0)

    # 80 s are for looks. Seven launches take 1 s each besides the cases, and 14 s for each case.
    chosen = little.affordable(dict.fromkeys(range(1, 8), FIVE), 111.0, confirming=False)

    assert chosen == (FIVE[0], FIVE[1], FIVE[2], FIVE[4])


def test_what_a_long_case_leaves_goes_to_a_lighter_one_that_still_fits():
    weights = {FIVE[0]: 6.0, FIVE[1]: 3.0, FIVE[2]: 1.0}
    little = purse(100.0, weights)
    little.reckon({FIVE[0]: 5.0, FIVE[1]: 9.0, FIVE[2]: 2.0}, wall_s=16.0)

    assert little.affordable({1: FIVE[:3]}, 172.0, confirming=False) == (FIVE[0], FIVE[2])


def test_before_the_first_launch_there_has_to_be_time_for_that_one_alone():
    left = dict.fromkeys(range(8), FIVE)

    assert purse(4.0).affordable(left, 100.0, confirming=False) == tuple(FIVE)
    assert purse(4.0).affordable(left, 103.3, confirming=False) == ()


def test_a_confirmation_may_use_what_looks_have_to_leave():
    spent = purse(100.0)
    spent.reckon({FIVE[0]: 1.0}, wall_s=1.0)

    assert spent.affordable({8: FIVE[:1]}, 181.0, confirming=False) == ()
    assert spent.affordable({8: FIVE[:1]}, 181.0, confirming=True) == (FIVE[0],)


def test_two_gpus_have_twice_the_time():
    one, two = purse(100.0), purse(100.0, lanes=2)
    for each in (one, two):
        each.reckon(dict.fromkeys(FIVE, 30.0), wall_s=150.0 / each.lanes)

    assert len(one.affordable({1: FIVE}, 100.0, confirming=False)) == 2
    assert len(two.affordable({1: FIVE}, 100.0, confirming=False)) == 5


@given(
    left_s=st.floats(0, 1000),
    case_s=st.lists(st.floats(0.01, 50), min_size=5, max_size=5),
    weights=st.lists(st.floats(0.1, 9), min_size=5, max_size=5),
    launches=st.integers(1, 8),
)
def test_what_is_chosen_fits_and_no_heavier_case_would_have(left_s, case_s, weights, launches):
    weighed, costs = dict(zip(FIVE, weights, strict=True)), dict(zip(FIVE, case_s, strict=True))
    any_purse = Purse(Allowance(budget_s=left_s / 0.8), weighed, "cuda", 1)
    any_purse.case_s = costs

    chosen = any_purse.affordable(dict.fromkeys(range(launches), FIVE), 0.0, confirming=False)

    spent = math.fsum(costs[c] * launches for c in chosen)
    assert spent <= left_s * (1 + 1e-9) + 1e-9
    for case in set(FIVE) - set(chosen):
        before = math.fsum(costs[c] * launches for c in chosen if weighed[c] >= weighed[case])
        assert before + costs[case] * launches > left_s * (1 - 1e-9) - 1e-9


def test_the_report_names_what_was_left_and_counts_the_rest():
    many = [replace(case, device="h200") for case in cases(12)]

    sentence = left_over(Allowance(budget_s=150.0), many, 100)

    assert sentence.startswith("--budget 2.5: 12 of 100 cases left without a latency verdict: k0/w0, k1/w0, ")
    assert sentence.endswith("k9/w0 and 2 more")
