"""How looks follow each other: what is confirmed, what goes on, what a run again may spend."""

from dataclasses import replace

import pytest

from kgate.figures import change
from kgate.model import Case, Decision
from kgate.sequence import CONFIRMING, confirming_numbers, seen_at, spending
from tests.unit.numbers.times import ONE, FakeTimer, agenda, arms, cases, ratios_of, steady

SLOWER, NO_SLOWER, OPEN = Decision.SLOWER, Decision.NO_SLOWER, Decision.INCONCLUSIVE


def test_a_clean_case_is_passed_after_the_first_look():
    timer = FakeTimer(steady())

    found = timer.follow(agenda([ONE], tests=100), [ONE])

    assert [r.decision for r in found.ratios.values()] == [NO_SLOWER]
    assert [number for number, _ in timer.asked] == list(range(8))


def test_a_slowdown_of_five_percent_is_confirmed_by_launches_of_their_own_and_says_so():
    timer = FakeTimer(steady(0.05))

    (ratio,) = timer.follow(agenda([ONE], tests=100), [ONE]).ratios.values()

    assert ratio.decision is SLOWER
    assert ratio.confirmation is not None
    assert ratio.confirmation.holds
    assert ratio.confirmation.median == pytest.approx(1.05, abs=0.005)
    assert [n for n, _ in timer.asked if n >= CONFIRMING] == list(confirming_numbers(8, 8))


def test_a_case_between_the_margins_takes_every_look_and_may_end_inconclusive():
    (ratio,) = ratios_of(steady(0.04, spread=0.03), seeds=1)

    assert ratio.decision is OPEN
    assert ratio.launches == 32
    assert "neither shown above +3 % nor below +5 %; launches differ by 2" in ratio.reason


def test_where_nothing_could_act_there_is_one_look_and_no_confirmation():
    timer = FakeTimer(steady(0.2))

    (ratio,) = timer.follow(agenda([ONE], acting="fallback"), [ONE]).ratios.values()

    assert (ratio.decision, ratio.confirmation) == (SLOWER, None)
    assert len(timer.asked) == 8


def test_a_claim_that_fresh_processes_do_not_show_pools_their_launches_and_goes_on():
    def placed(generator, number, case):
        return arms(generator, 0.0 if number >= 8 else 0.06, 0.002)

    timer = FakeTimer(placed)

    (ratio,) = timer.follow(agenda([ONE], tests=100), [ONE]).ratios.values()

    assert [n for n, _ in timer.asked if n >= CONFIRMING] == list(confirming_numbers(8, 8))
    assert ratio.decision is NO_SLOWER
    assert ratio.launches == 24, "16 and the 8 that did not confirm"


def test_a_claim_that_fails_at_the_last_look_ends_inconclusive_and_never_red():
    def placed(generator, number, case):
        return arms(generator, 0.06 if number < CONFIRMING else 0.0, 0.002)

    (ratio,) = ratios_of(placed, seeds=1, todo=agenda([ONE], looks=(8,)))

    assert ratio.decision is OPEN
    assert ratio.confirmation is not None
    assert not ratio.confirmation.holds
    assert ratio.reason.startswith("+6.")
    assert "was not confirmed" in ratio.reason


def test_what_is_left_of_a_run_goes_on_without_losing_or_repeating_a_launch():
    whole = FakeTimer(steady(0.04, spread=0.02))
    expected = whole.follow(agenda([ONE], tests=100), [ONE])

    class Killed(Exception):
        pass

    class Ledger(FakeTimer):
        """Takes only what it has not got yet, and dies after three launches."""

        def __call__(self, numbers, chosen, *, confirming):
            for number in numbers:
                if number in {t.launch for t in self.launches.get(ONE, ())}:
                    continue
                if len(self.asked) % 3 == 2:
                    super().__call__([number], chosen, confirming=confirming)
                    raise Killed
                super().__call__([number], chosen, confirming=confirming)

    ledger = Ledger(steady(0.04, spread=0.02))
    kills = 0
    while True:
        try:
            found = ledger.follow(agenda([ONE], tests=100), [ONE])
            break
        except Killed:
            kills += 1

    assert kills >= 10
    assert sorted(ledger.asked) == sorted(whole.asked)
    assert found.ratios == expected.ratios


def test_a_look_sees_what_confirmed_before_it_and_not_what_is_to_confirm_it():
    timer = FakeTimer(steady())
    timer([*range(20)], [ONE], confirming=False)
    timer(list(confirming_numbers(8, 2)), [ONE], confirming=True)
    timer(list(confirming_numbers(16, 2)), [ONE], confirming=True)

    seen = [t.launch for t in seen_at(timer.launches, 16)[ONE]]

    assert seen == [*range(16), *confirming_numbers(8, 2)]


def test_the_first_run_shares_the_error_equally_and_a_run_again_sees_the_same_shares():
    first = spending((8, 16, 32), {})

    assert first == {8: 0.01 / 3, 16: 0.01 / 3, 32: 0.01 / 3}
    assert spending((8, 16, 32), first) == first


def test_however_often_somebody_runs_again_all_looks_spend_no_more_than_a_third_above_the_rate():
    spent = dict(spending((8,), {}))

    for look in range(9, 60):
        spent |= spending((look,), spent)

    assert spent[8] == 0.01
    assert spent[9] == pytest.approx(0.01 / 6)
    assert spent[10] == pytest.approx(0.01 / 12)
    assert sum(spent.values()) <= 0.01 * 4 / 3


class Hurried(FakeTimer):
    """Leaves out these cases from that launch on, as a spent budget does."""

    late: tuple[Case, ...] = ()
    last: int = 0

    def __call__(self, numbers, chosen, *, confirming):
        for number in numbers:
            super().__call__(
                [number], [c for c in chosen if c not in self.late or number < self.last], confirming=confirming
            )
        return [c for c in chosen if c in self.late and numbers[-1] >= self.last]


def hurried(make, late, last):
    timer = Hurried(make)
    timer.late, timer.last = late, last
    return timer


def test_a_case_that_the_budget_leaves_no_time_for_is_neither_passed_nor_blamed():
    first, second = cases(2)
    timer = hurried(steady(0.08), late=(second,), last=5)

    found = timer.follow(agenda([first, second], tests=100), [first, second])

    by_case = {q.cases: r for q, r in found.ratios.items()}
    assert by_case[(first,)].decision is SLOWER
    assert by_case[(second,)].decision is OPEN
    assert by_case[(second,)].reason == "--budget was spent after 5 of 8 launches"
    assert found.cut == {second}


def test_a_case_that_was_never_launched_has_no_answer_and_is_cut():
    first, second = cases(2)

    found = hurried(steady(), late=(second,), last=0).follow(agenda([first, second], tests=100), [first, second])

    assert [q.cases for q in found.ratios] == [(first,)]
    assert found.cut == {second}


def test_a_claim_that_there_is_no_time_to_confirm_ends_inconclusive():
    timer = hurried(steady(0.08), late=(ONE,), last=CONFIRMING)

    found = timer.follow(agenda([ONE], tests=100), [ONE])

    (ratio,) = found.ratios.values()
    assert (ratio.decision, ratio.launches, ratio.confirmation) == (OPEN, 8, None)
    assert ratio.reason == f"{change(ratio.median)} could not be confirmed: --budget was spent"
    assert found.cut == {ONE}


def test_a_later_look_that_there_is_no_time_for_leaves_the_case_open():
    timer = hurried(steady(0.04, spread=0.03), late=(ONE,), last=11)

    (ratio,) = timer.follow(agenda([ONE], tests=100), [ONE]).ratios.values()

    assert (ratio.decision, ratio.reason) == (OPEN, "--budget was spent after 11 of 16 launches")


def test_only_a_case_known_to_be_rough_gets_the_fourth_look():
    rough, smooth = cases(2)
    todo = replace(agenda([rough, smooth], looks=(8, 16, 32, 64), tests=100), rough=frozenset([rough]), rough_from=64)
    timer = FakeTimer(steady(0.04, spread=0.03))

    timer.follow(todo, [rough, smooth])

    taken = {case: max(n for n, c in timer.asked if c == case and n < CONFIRMING) + 1 for case in (rough, smooth)}
    assert taken == {rough: 64, smooth: 32}
