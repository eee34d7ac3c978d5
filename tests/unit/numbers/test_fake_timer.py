"""Times as a bad day makes them: nobody is blocked for them, nothing passes under them, and the reason is told."""

import math
from dataclasses import replace

import numpy as np
import pytest

from kgate.decision import Question
from kgate.model import Decision
from kgate.sequence import CONFIRMING
from tests.unit.numbers.times import ONE, FakeTimer, agenda, arms, cases, ratios_of, steady

SLOWER, NO_SLOWER, OPEN = Decision.SLOWER, Decision.NO_SLOWER, Decision.INCONCLUSIVE
RUNS = 20


def test_a_clock_that_drifts_through_the_launch_blames_nobody_and_hides_nothing():
    drift = np.linspace(1, 1.3, 40)

    def drifting(slower):
        def make(generator, number, case):
            return {arm: ns * drift for arm, ns in arms(generator, slower, 0.003).items()}

        return make

    assert {r.decision for r in ratios_of(drifting(0.0))} == {NO_SLOWER}
    assert {r.decision for r in ratios_of(drifting(0.06))} == {SLOWER}


@pytest.mark.parametrize("arm", ["head", "base"])
def test_a_neighbour_that_bursts_in_a_twentieth_of_the_launches_blames_nobody_and_hides_nothing(arm):
    def burst(slower):
        def make(generator, number, case):
            made = arms(generator, slower, 0.003)
            made[arm] *= generator.uniform(1.14, 1.91) if generator.random() < 0.05 else 1.0
            return made

        return make

    assert SLOWER not in {r.decision for r in ratios_of(burst(0.0))}
    assert NO_SLOWER not in {r.decision for r in ratios_of(burst(0.06))}


def test_a_base_that_is_slow_in_its_first_launches_hides_no_slowdown():
    def warming(slower):
        def make(generator, number, case):
            made = arms(generator, slower, 0.003)
            made["base"] *= 1.1 if number < 3 else 1.0
            return made

        return make

    assert NO_SLOWER not in {r.decision for r in ratios_of(warming(0.06))}
    assert SLOWER not in {r.decision for r in ratios_of(warming(0.0))}


def test_throttling_throughout_leaves_nothing_valid_and_says_so():
    found = ratios_of(steady(0.5), seeds=1, notes={"gate.throttle": "hardware-thermal,power-cap"})

    assert [(r.decision, r.launches, r.throttled) for r in found] == [(OPEN, 0, 32)]
    assert found[0].reason == "all 32 launches were throttled (hardware-thermal)"


def test_a_power_cap_is_how_a_busy_gpu_works():
    assert ratios_of(steady(), seeds=1, notes={"gate.throttle": "power-cap"})[0].decision is NO_SLOWER


class Warm(FakeTimer):
    """Of whose first `hot` launches `said` is noted."""

    hot, said = 2, {"gate.throttle": "hardware-slowdown"}

    def __call__(self, numbers, chosen, *, confirming):
        super().__call__(numbers, chosen, confirming=confirming)
        self.launches[ONE] = [replace(t, notes=self.said) if t.launch < self.hot else t for t in self.launches[ONE]]


BOTH = {"head.throttle": "hardware-slowdown", "base.throttle": "power-cap; hardware-slowdown"}


@pytest.mark.parametrize("said", [Warm.said, BOTH])
def test_a_few_throttled_launches_are_counted_and_left_out(said):
    timer = Warm(steady())
    timer.said = said

    (ratio,) = timer.follow(agenda([ONE]), [ONE]).ratios.values()

    assert (ratio.decision, ratio.throttled) == (NO_SLOWER, 2)


@pytest.mark.parametrize("said", [{"head.throttle": "hardware-slowdown"}, {**BOTH, "gate.throttle": ""}])
def test_a_head_that_calls_its_slow_launches_throttled_keeps_them(said):
    timer = Warm(steady())
    timer.said = said

    (ratio,) = timer.follow(agenda([ONE]), [ONE]).ratios.values()

    assert (ratio.launches, ratio.throttled) == (8, 0)


def test_workers_who_call_many_launches_throttled_leave_the_question_open_and_are_named():
    timer = Warm(steady())
    timer.hot, timer.said = 3, BOTH

    (ratio,) = timer.follow(agenda([ONE]), [ONE]).ratios.values()

    assert (ratio.decision, ratio.launches) == (OPEN, 0)
    assert ratio.reason.startswith("workers call 3 of 8 launches throttled, more than is believed of them")


@pytest.mark.parametrize("slower", [0.06, -0.06])
def test_a_shift_of_all_cases_that_fresh_processes_do_not_show_is_the_runs_and_decides_no_case(slower):
    def shifted(generator, number, case):
        return arms(generator, slower if number < CONFIRMING else 0.0, 0.002)

    chosen = cases(kernels=3, workloads=2)
    found = FakeTimer(shifted).follow(agenda(chosen), chosen)

    assert found.shift is not None
    assert (found.shift.cases, found.shift.of, found.shift.confirmed) == (6, 6, False)
    alone = [r for q, r in found.ratios.items() if len(q.cases) == 1]
    assert {r.decision for r in alone} == {OPEN}
    assert all(r.shared for r in alone)
    assert SLOWER not in {r.decision for r in found.ratios.values()}


def test_a_shift_that_fresh_processes_show_as_well_is_every_cases_own():
    chosen = cases(kernels=3, workloads=2)

    found = FakeTimer(steady(0.06)).follow(agenda(chosen), chosen)

    alone = [r for q, r in found.ratios.items() if len(q.cases) == 1]
    assert found.shift is not None
    assert found.shift.confirmed
    assert {r.decision for r in alone} == {SLOWER}
    assert not any(r.shared for r in alone)


def test_one_kernel_that_is_slower_on_all_its_workloads_is_no_shift_of_the_run():
    chosen = cases(kernels=1, workloads=4)

    found = FakeTimer(steady(0.06)).follow(agenda(chosen), chosen)

    assert found.shift is None


def test_a_slow_kernel_among_clean_ones_is_blamed_alone():
    chosen = cases(kernels=10, workloads=2)

    def one_bad(generator, number, case):
        return arms(generator, 0.06 if case == chosen[3] else 0.0, 0.003)

    found = FakeTimer(one_bad).follow(agenda(chosen), chosen)

    assert [q.cases for q, r in found.ratios.items() if r.decision is SLOWER and len(q.cases) == 1] == [(chosen[3],)]


def test_small_losses_on_every_workload_are_shown_for_the_kernel_and_confirmed():
    chosen = cases(kernels=1, workloads=8)

    def opposed(generator, number, case):
        """Half the workloads are up where the other half is down: each by itself is rough, their mean is not."""
        side = 1 if chosen.index(case) % 2 else -1
        up = np.random.default_rng(number).normal(0, 0.03)
        return {
            arm: ns * (math.exp(side * up) if arm == "head" else 1) for arm, ns in arms(generator, 0.045, 0).items()
        }

    found = FakeTimer(opposed).follow(agenda(chosen, looks=(8,)), chosen)

    (kernel,) = [r for q, r in found.ratios.items() if len(q.cases) == 8]
    assert SLOWER not in {r.decision for q, r in found.ratios.items() if len(q.cases) == 1}
    assert kernel.decision is SLOWER
    assert kernel.confirmation is not None
    assert kernel.confirmation.holds


@pytest.mark.parametrize(("share", "told"), [(0.3, True), (0.0, False)])
def test_a_bimodal_kernel_is_neither_blocked_nor_passed_in_silence(share, told):
    def bimodal(generator, number, case):
        made = arms(generator, 0.0, 0.002)
        made["head"] *= 1.2 if generator.random() < share else 1.0
        return made

    found = ratios_of(bimodal)

    assert SLOWER not in {r.decision for r in found}
    silent = [r for r in found if r.decision is NO_SLOWER and not r.slow_launches]
    assert (len(silent) < RUNS / 4) is told
    assert any(r.slow_launches >= 3 for r in found) is told


def test_a_kernel_that_is_slow_in_every_fifth_call_is_told_by_its_tail():
    def jumpy(generator, number, case):
        made = arms(generator, 0.0, 0.002)
        made["head"][::5] *= 1.5
        return made

    (ratio,) = ratios_of(jumpy, seeds=1)

    assert ratio.decision is NO_SLOWER
    assert ratio.tail == pytest.approx(1.5, abs=0.05)


def test_a_path_that_is_slower_by_as_much_in_every_call_is_steady():
    allowed = Question(cases=(ONE,), above="head", below="base", wanted=0.9)
    todo = replace(agenda([ONE], tests=100), questions=(allowed,))

    (ratio,) = ratios_of(steady(0.08), seeds=1, todo=todo)

    assert ratio.decision is NO_SLOWER
    assert ratio.tail is None


def test_a_tail_that_both_have_is_nobodys():
    def jumpy(generator, number, case):
        made = arms(generator, 0.0, 0.002)
        return {arm: ns * np.where(np.arange(40) % 5, 1.0, 1.5) for arm, ns in made.items()}

    assert ratios_of(jumpy, seeds=1)[0].tail is None


@pytest.mark.parametrize(("slower", "decision"), [(0.0, OPEN), (0.08, OPEN), (0.6, SLOWER)])
def test_a_timer_that_steps_coarser_than_the_margin_decides_only_what_it_can_see(slower, decision):
    def stepping(generator, number, case):
        made = arms(generator, slower, 0.002, base_ns=5_200.0)
        return {arm: np.maximum(1_000.0, np.round(ns / 1_000.0) * 1_000.0) for arm, ns in made.items()}

    (ratio,) = ratios_of(stepping, seeds=1)

    assert ratio.decision is decision
    assert ratio.reason.startswith("the timer steps by ") is (decision is OPEN)


@pytest.mark.parametrize("bad", [math.nan, math.inf, 0.0, -1.0])
@pytest.mark.parametrize("arm", ["head", "base"])
def test_one_time_that_is_none_never_passes_and_says_which(bad, arm):
    def broken(generator, number, case):
        made = arms(generator, -0.2, 0.002)
        made[arm][7] = bad if number == 5 else made[arm][7]
        return made

    timer = FakeTimer(broken)
    (ratio,) = timer.follow(agenda([ONE]), [ONE]).ratios.values()

    assert (ratio.decision, ratio.launches) == (OPEN, 0)
    assert ratio.reason == f"launch 5, arm {arm}: {bad} ns is no time"
    assert len(timer.asked) == 8, "further launches would not mend it"


class Timers(FakeTimer):
    """Names a timer for each launch by `method_of`."""

    def __call__(self, numbers, chosen, *, confirming):
        super().__call__(numbers, chosen, confirming=confirming)
        for case, launches in self.launches.items():
            launches[:] = [replace(t, method=self.method_of(t.launch, case)) for t in launches]


def test_cases_of_a_kernel_may_be_timed_by_different_methods_and_the_kernel_is_answered():
    class ByCase(Timers):
        def method_of(self, launch, case):
            return "graph" if case.workload == "w0" else "events"

    chosen = cases(1, 2)

    answers = ByCase(steady()).follow(agenda(chosen), chosen)

    assert {r.decision for r in answers.ratios.values()} == {NO_SLOWER}
    assert len(answers.ratios) == 3


def test_a_case_timed_by_two_methods_is_open_and_says_why():
    class ByLaunch(Timers):
        def method_of(self, launch, case):
            return "events" if launch < 3 else "graph"

    answers = ByLaunch(steady()).follow(agenda([ONE]), [ONE])

    assert [r.decision for r in answers.ratios.values()] == [OPEN]
    assert [r.reason for r in answers.ratios.values()] == ["launch 3 was timed by graph, an earlier one by events"]
