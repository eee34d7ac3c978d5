"""
What the gate would say on cases whose same-against-same launches are known: replay, drawn anew and labelled so.

A run draws its starts and, of them in turn, its launches, as a run has its zygotes; a confirmation draws starts of its
own. The arms of a case are swapped at random for the whole run, so that a lasting difference between two arms of the
same code shows as a slowdown half the time.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kgate import stats
from kgate.margins import MARGINS
from kgate.replay import NO_SLOWER, OPEN, SLOWER, Judged, Rate, judged
from kgate.stats import Floats

STARTS = 3  # of an arm in one run
DOSE = math.log(1.05)
RUNS_ALONE, RUNS_TOGETHER, CHUNK = 2000, 1000, 100
SEED = 0  # the same launches foretell the same

Logs = Mapping[str, Sequence[float]]  # of a quiet kernel: `same` and `dosed`
Starts = Sequence[Sequence[float]]  # log ratios of launches, by the start that they are of


@dataclass(frozen=True, kw_only=True)
class Course:
    """How a run looks: after how many launches, how many confirm, and how many tests it plans."""

    looks: tuple[int, ...]
    confirming: int
    tests: int


@dataclass(frozen=True, kw_only=True)
class Foretold:
    """Of one case alone, in a run that plans as many tests as ever."""

    not_green: Rate
    blocked: Rate  # at +5 %
    passed: Rate  # at +5 %


def alone(case: Starts, course: Course, runs: int = RUNS_ALONE) -> Foretold:
    generator = np.random.default_rng([SEED, len(case)])
    clean = replayed([case], course, generator, runs)
    slow = replayed([case], course, generator, runs, DOSE)
    return Foretold(
        not_green=rate(clean.decision != NO_SLOWER),
        blocked=rate(slow.decision == SLOWER),
        passed=rate(slow.decision == NO_SLOWER),
    )


def together(
    cases: Sequence[Starts],
    controls: Sequence[Logs],
    course: Course,
    runs: int = RUNS_TOGETHER,
) -> Rate:
    """
    Clean runs of all these cases that do not come out green: one of them is called slower or stays open, or the run's
    controls fail twice. `controls`: of each quiet kernel the logs of its launches, `same` and `dosed`.
    """
    generator = np.random.default_rng([SEED, len(cases), 1])
    bad = np.zeros(runs, bool)
    for first in range(0, runs if cases else 0, CHUNK):
        number = min(CHUNK, runs - first)
        found = replayed(cases, course, generator, number)
        bad[first : first + number] = (found.decision != NO_SLOWER).any(axis=1)
    twice = (failing(controls, course, generator, runs) for _ in range(2))
    return rate(bad | np.logical_and(*twice))


def replayed(
    cases: Sequence[Starts], course: Course, generator: np.random.Generator, runs: int, dose: float = 0.0
) -> Judged:
    logs, fresh = [], []
    for case in cases:
        side = generator.choice([-1.0, 1.0], (runs, 1))
        logs.append(drawn(case, generator, runs, max(course.looks)) * side)
        parts = [drawn(case, generator, runs, course.confirming) * side for _ in course.looks]
        fresh.append(np.stack(parts, axis=1))
    found = judged(np.stack(logs, axis=1) + dose, np.stack(fresh, axis=1) + dose, course.tests, looks=course.looks)
    assert set(np.unique(found.decision)) <= {OPEN, SLOWER, NO_SLOWER}
    return found


def drawn(case: Starts, generator: np.random.Generator, runs: int, launches: int) -> Floats:
    """
    [runs, launches]: of three starts drawn with replacement, in turn. Smoothed as Silverman and Young (1987), The
    bootstrap: to smooth or not to smooth?, Biometrika 74: of few launches the same ones would be drawn again and again,
    and launches that are equal look like a timer without noise.
    """
    sizes = np.array([len(start) for start in case])
    flat = np.concatenate([np.asarray(start, float) for start in case])
    width = bandwidth(flat)
    first = np.cumsum(sizes) - sizes
    starts = generator.integers(0, len(sizes), (runs, STARTS))[:, np.arange(launches) % STARTS]
    within = (generator.random((runs, launches)) * sizes[starts]).astype(int)
    return np.asarray(flat[first[starts] + within] + generator.normal(0.0, width, (runs, launches)))


def bandwidth(values: Floats) -> float:
    """Silverman, Density Estimation (1986), 3.31: of the narrower of both spreads, so that no burst blurs all."""
    if len(values) < MARGINS.least_launches:
        return 0.0
    low, high = np.quantile(values, [0.25, 0.75])
    return float(0.9 * min(values.std(ddof=1), (high - low) / 1.34) * len(values) ** -0.2)


def failing(controls: Sequence[Logs], course: Course, generator: np.random.Generator, runs: int) -> np.ndarray:
    """Whether any control of a run would fail at its first look, half of whose launches have the dose."""
    failed = np.zeros(runs, bool)
    low, high = (math.log(factor) for factor in MARGINS.control_dose_seen)
    for control in controls:
        for kind, logs in control.items():
            if len(logs) < MARGINS.least_launches:
                continue
            taken = generator.choice(np.asarray(logs), (runs, max(MARGINS.least_launches, course.looks[0] // 2)))
            seen = stats.trimmed(taken).location
            off = np.abs(seen) >= math.log(MARGINS.control_bias) if kind == "same" else (seen < low) | (seen > high)
            failed |= off
    return failed


def rate(flags: np.ndarray) -> Rate:
    return Rate(hits=int(flags.sum()), of=flags.size)
