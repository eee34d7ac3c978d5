"""What a bad day does to the times stands in the report, in words: a run is never red or green without its reason."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from kgate.latency import median_ns
from kgate.model import Decision, Latency, Level, Scope, Verdict
from kgate.reports import Style, text
from kgate.sequence import CONFIRMING
from tests.unit.builders import kernel, report_of, run_of
from tests.unit.numbers.times import ONE, FakeTimer, Make, agenda, arms, steady

POLICY = {"slower-than-base": Level.FAIL}


def told(timer: FakeTimer) -> tuple[Decision, str]:
    """What is decided of one case on a GPU, and the report on it."""
    found = timer.follow(agenda([ONE], tests=100), [ONE])
    (ratio,) = found.ratios.values()
    taken = tuple(timer.launches[ONE])
    medians = {arm: ns for arm in ("head", "base") if (ns := median_ns(taken, arm))}
    run = run_of(on_gpu=True, baseline=None)
    latency = Latency(launches=taken, median_ns=medians, ratios=(ratio,), method="fake")
    report = report_of(replace(run, latency={run.cases[0]: latency}), POLICY)
    return ratio.decision, text.render(report, Style())


def changed(slower: float, change: Callable[[np.random.Generator, int, dict[str, np.ndarray]], None]) -> Make:
    def make(generator, number, case):
        made = arms(generator, slower, 0.003)
        change(generator, number, made)
        return made

    return make


def drift(generator, number, made):
    for ns in made.values():
        ns *= np.linspace(1, 1.3, 40)


def neighbour(generator, number, made):
    made["head"] *= generator.uniform(1.14, 1.91) if generator.random() < 0.05 else 1.0


def cold_base(generator, number, made):
    made["base"] *= 1.1 if number < 3 else 1.0


def two_modes(generator, number, made):
    made["head"] *= 1.2 if number % 3 == 0 else 1.0


def coarse(generator, number, made):
    for arm in made:
        made[arm] = np.round(made[arm] / 10_000) * 10_000


def none(generator, number, made):
    made["head"][3] = math.nan if number == 2 else made["head"][3]


@pytest.mark.parametrize(
    ("make", "notes", "reason"),
    [
        pytest.param(
            changed(0.0, two_modes), {}, "is unsteady: far slower in 11 of 32 launches than in the others", id="bimodal"
        ),
        pytest.param(changed(0.0, coarse), {}, "the timer steps by 50.0 µs, 100 % of the time", id="coarse timer"),
        pytest.param(changed(0.0, none), {}, "launch 2, arm head: nan ns is no time", id="NaN"),
        pytest.param(
            steady(0.3),
            {"gate.throttle": "hardware-thermal"},
            "all 32 launches were throttled (hardware-thermal)",
            id="throttled throughout",
        ),
        pytest.param(steady(0.04, spread=0.03), {}, "launches differ by 2", id="rough"),
    ],
)
def test_times_that_say_nothing_certain_neither_pass_in_silence_nor_block(make, notes, reason):
    decision, report = told(FakeTimer(make, notes=notes))

    assert decision is not Decision.SLOWER
    assert reason in " ".join(report.split())


@pytest.mark.parametrize("change", [drift, neighbour, cold_base])
def test_what_both_arms_share_or_few_launches_have_changes_no_verdict(change):
    clean, quiet = told(FakeTimer(changed(0.0, change), seed=3))
    slow, loud = told(FakeTimer(changed(0.07, change), seed=3))

    assert clean is Decision.NO_SLOWER
    assert "slower-than-base" not in quiet
    assert slow is Decision.SLOWER
    assert "slower-than-base" in loud
    assert "fresh processes" in " ".join(loud.split())


def test_a_shift_of_the_run_is_told_once_and_blames_no_kernel():
    whole = run_of(*(kernel(f"k{n}", workloads=("w0", "w1")) for n in range(3)), on_gpu=True, baseline=None)

    def shifted(generator, number, case):
        return arms(generator, 0.06 if number < CONFIRMING else 0.0, 0.002)

    timer = FakeTimer(shifted)
    found = timer.follow(agenda(whole.cases), whole.cases)
    latencies = {
        case: Latency(launches=tuple(taken), median_ns={}, method="fake", ratios=ratios)
        for case, taken in timer.launches.items()
        if (ratios := tuple(r for q, r in found.ratios.items() if q.cases == (case,)))
    }
    report = report_of(replace(whole, latency=latencies, shift=found.shift), POLICY)

    against_base = [f for f in report.findings if f.rule == "slower-than-base"]
    assert [f.scope for f in against_base] == [Scope.RUN]
    assert against_base[0].sentence.startswith("6 of 6 cases moved together by about +")
    assert against_base[0].sentence.endswith("and no kernel is blamed")
    assert report.verdict is Verdict.NO_VERDICT
