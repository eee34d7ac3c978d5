"""
One look at what launches have given: every question of a run answered at once, since they share one error rate.

The order is fixed: slower, else no slower, else inconclusive with the reason. Functions of arrays serve a run's few
hundred questions and a simulation's millions alike.
"""

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from kgate import stats
from kgate.figures import count, margin, time_of
from kgate.margins import MARGINS
from kgate.model import Case, Confirmation, Decision, LaunchTiming, Ratio
from kgate.stats import Array, Estimate, Prior
from kgate.throttling import disbelieved, throttle

LOG_SLOWER, LOG_WAVED = math.log(MARGINS.slower_above), math.log(MARGINS.waved_under)
SHIFTED_CASES = 3  # fewer that move together are no sign of a common cause
ALIKE = 0.01  # in log ratios, or three errors of the mean: how near to each other they have to be
FAR = 4.0  # robust standard deviations


@dataclass(frozen=True, kw_only=True)
class Question:
    """
    One latency test: is `above` slower than `below`, of which a speed-up `wanted` is asked, on one case or, as the
    mean over its workloads, on all cases of a kernel?
    """

    cases: tuple[Case, ...]
    above: str
    below: str
    wanted: float = 1.0
    prior: Prior | None = None


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """
    What the launches say to a question: a log ratio of each valid one, then of each that was throttled.

    `problem` is a sentence about a time that is none; no answer stands beside it. `blur`: what a timer that steps too
    coarsely may hide, in log ratios; `tails`: as `logs`, of the 90th percentiles.
    """

    logs: tuple[float, ...]
    tails: tuple[float, ...] = ()
    throttled: tuple[float, ...] = ()
    throttle: str = ""
    problem: str = ""
    blur: float = 0.0
    step: str = ""


def decided(
    found: Estimate, tests: int, level: float, *, blur: Array | float = 0.0, settled: Sequence[float] = ()
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """
    Which of the questions along the last axis are *slower*, and which *no slower*, at this look's share of the error.

    `tests`: planned for the run, never those still open; `settled`: p of what earlier looks have called slower.
    """
    p = stats.p_above(found, LOG_SLOWER)
    before = np.broadcast_to(np.asarray(settled, float), (*p.shape[:-1], len(settled)))
    shown = stats.rejected(np.concatenate([p, before], axis=-1), tests, level)[..., : p.shape[-1]]
    slower = shown & (found.location > blur)
    return slower, ~shown & (stats.upper(found, level) + blur < LOG_WAVED)


def borne_out(found: Estimate) -> npt.NDArray[np.bool_]:
    """Whether fresh launches bear a *slower* out: their mean is beyond the margin, and 95 % sure to be above 0."""
    return (found.location > LOG_SLOWER) & (stats.p_above(found, 0.0) <= 1 - MARGINS.confidence)


def evidence(question: Question, launches: Mapping[Case, Sequence[LaunchTiming]]) -> Evidence:
    """Of the launches that timed both arms on every case of the question."""
    taken = {case: {t.launch: t for t in launches.get(case, ()) if both(t, question)} for case in question.cases}
    numbers = sorted(set.intersection(*map(set, taken.values())))
    timings = [[taken[case][number] for case in question.cases] for number in numbers]
    problem = mixed(timings) or next((text for each in timings for t in each if (text := fault(t, question))), "")
    if problem or not timings:
        return Evidence(logs=(), problem=problem)
    arms = (question.above, question.below)
    reasons = [", ".join(dict.fromkeys(r for t in each for r in throttle(t, arms))) for each in timings]
    if text := disbelieved(timings, reasons):
        return Evidence(logs=(), problem=text)
    logs = [mean(t, question, stats.datum) for t in timings]
    tails = [mean(t, question, tail) for t in timings]
    blur, step = blurred(timings, question)
    return Evidence(
        logs=tuple(x for x, reason in zip(logs, reasons, strict=True) if not reason),
        tails=tuple(x for x, reason in zip(tails, reasons, strict=True) if not reason),
        throttled=tuple(x for x, reason in zip(logs, reasons, strict=True) if reason),
        throttle=", ".join(dict.fromkeys(r for r in reasons if r)),
        blur=blur,
        step=step,
    )


def both(timing: LaunchTiming, question: Question) -> bool:
    return bool(timing.samples_ns.get(question.above) and timing.samples_ns.get(question.below))


def mixed(timings: Sequence[Sequence[LaunchTiming]]) -> str:
    """Times of one case by two methods are never compared; cases may differ, since each gives a ratio of its own."""
    for of_case in zip(*timings, strict=True):
        for timing in of_case:
            if timing.method != of_case[0].method:
                return f"launch {timing.launch} was timed by {timing.method}, an earlier one by {of_case[0].method}"
    return ""


def fault(timing: LaunchTiming, question: Question) -> str:
    """The first time of the two arms that is none, as a sentence; "" if all are."""
    for arm in (question.above, question.below):
        for time_ns in timing.samples_ns[arm]:
            if not stats.is_time(time_ns):
                return f"launch {timing.launch}, arm {arm}: {time_ns} ns is no time"
    return ""


def mean(timings: Sequence[LaunchTiming], question: Question, number: object) -> float:
    assert callable(number)
    values = [number(t.samples_ns[question.above], t.samples_ns[question.below]) for t in timings]
    return math.fsum(values) / len(values)


def tail(above_ns: Sequence[float], below_ns: Sequence[float]) -> float:
    """The log ratio of the 90th percentiles: slow calls that a median does not see."""
    return math.log(np.quantile(above_ns, 0.9)) - math.log(np.quantile(below_ns, 0.9))


def blurred(timings: Sequence[Sequence[LaunchTiming]], question: Question) -> tuple[float, str]:
    """What two steps of the timer are as a log ratio, and words for it; nothing where a step is under 1 %."""
    worst = (0.0, "")
    for of_case in zip(*timings, strict=True):
        above, below = ([ns for t in of_case for ns in t.samples_ns[a]] for a in (question.above, question.below))
        step_ns, time_ns = stats.step_ns([*above, *below]), float(np.median(below))
        if step_ns > MARGINS.coarsest_step * time_ns:
            words = f"the timer steps by {time_of(step_ns)}, {100 * step_ns / time_ns:.3g} % of the time"
            worst = max(worst, (math.log1p(2 * step_ns / time_ns), words))
    return worst


def estimated(question: Question, found: Evidence) -> Estimate:
    """Of what is wanted: with a speed-up of 1.2, a ratio of 1 / 1.2 is even."""
    shifted = np.asarray(found.logs) + math.log(question.wanted)
    return stats.moderated(stats.trimmed(shifted), question.prior)


def stacked(parts: Sequence[Estimate]) -> Estimate:
    names = ("location", "variance", "freedom", "launches")
    return Estimate(**{name: np.array([getattr(part, name) for part in parts]) for name in names})


def answered(
    asked: Mapping[Question, Evidence], tests: int, level: float, settled: Sequence[float] = ()
) -> dict[Question, Ratio]:
    """Every question that has any time at all, decided together."""
    valid = {q: found for q, found in asked.items() if found.logs}
    ratios = {q: unanswered(q, found) for q, found in asked.items() if found.problem or found.throttled}
    if not valid:
        return ratios
    parts = [estimated(q, found) for q, found in valid.items()]
    blur = np.array([found.blur for found in valid.values()])
    slower, passes = decided(stacked(parts), tests, level, blur=blur, settled=settled)
    for (question, found), part, is_slower, is_passed in zip(valid.items(), parts, slower, passes, strict=True):
        decision = Decision.SLOWER if is_slower else Decision.NO_SLOWER if is_passed else Decision.INCONCLUSIVE
        reason = "" if decision is not Decision.INCONCLUSIVE else open_because(question, found, part)
        ratios[question] = replace(
            described(question, found, part, decision, reason), tail=slow_tail(found, is_slower, tests, level)
        )
    return {question: ratios[question] for question in asked if question in ratios}


def described(question: Question, found: Evidence, part: Estimate, decision: Decision, reason: str) -> Ratio:
    centre = float(part.location) - math.log(question.wanted)
    half = half_width(part)
    plain = stats.trimmed(np.asarray(found.logs))
    return Ratio(
        above=question.above,
        below=question.below,
        median=factor(centre),
        low=factor(centre - half),
        high=factor(centre + half),
        launches=len(found.logs),
        spread=math.sqrt(plain.variance) if plain.freedom else 0.0,
        decision=decision,
        reason=reason,
        wanted=question.wanted,
        freedom=int(plain.freedom),
        throttled=len(found.throttled),
        slow_launches=slow_launches(found.logs),
    )


def unanswered(question: Question, found: Evidence) -> Ratio:
    """No valid launch: what throttled ones show stands there and decides nothing."""
    reason = found.problem or f"{all_of(len(found.throttled))} throttled ({found.throttle})"
    shown = replace(found, logs=found.throttled)
    if not found.throttled:
        shown = replace(found, logs=(0.0,))
    ratio = described(question, shown, estimated(question, shown), Decision.INCONCLUSIVE, reason)
    return replace(ratio, launches=0, low=0.0, high=math.inf)


def all_of(launches: int) -> str:
    return "the only launch was" if launches == 1 else f"all {launches} launches were"


def open_because(question: Question, found: Evidence, part: Estimate) -> str:
    if len(found.logs) < MARGINS.least_launches:
        few = f"fewer than {MARGINS.least_launches} launches decide nothing"
        return f"{few}; {count(len(found.throttled), 'launch', 'launches')} throttled" if found.throttled else few
    if found.step:
        return found.step
    above, below = (limit / question.wanted for limit in (MARGINS.slower_above, MARGINS.waved_under))
    spread = 100 * math.sqrt(stats.trimmed(np.asarray(found.logs)).variance)
    return f"neither shown above {margin(above)} nor below {margin(below)}; launches differ by {spread:.1f} %"


def half_width(part: Estimate) -> float:
    """Of the two-sided 95 % interval; inf for one launch."""
    if not part.freedom:
        return math.inf
    return stats.t_quantile(1 - (1 - MARGINS.confidence) / 2, int(part.freedom)) * float(part.error)


def factor(log_ratio: float) -> float:
    """exp, with inf in place of an OverflowError: the samples are a worker's word."""
    return math.exp(log_ratio) if log_ratio < math.log(sys.float_info.max) else math.inf


def slow_launches(logs: Sequence[float]) -> int:
    """
    How many launches are slower than the others by 5 % and four robust standard deviations at least. 0 where the rival
    has nearly as many: then it is the machine's doing; and where they are too few to be more than chance.
    """
    values = np.asarray(logs)
    away = values - np.median(values)
    far = max(LOG_WAVED, FAR * 1.4826 * float(np.median(np.abs(away))))
    slow, fast = int((away > far).sum()), int((away < -far).sum())
    least = max(MARGINS.unsteady_launches, MARGINS.trimmed * len(values))
    return slow if slow >= least and slow >= 3 * fast else 0


def slow_tail(found: Evidence, is_slower: bool, tests: int, level: float) -> float | None:
    """
    The ratio of the 90th percentiles where the median is not slower and they are, at the share of one test. They have
    to lie above the medians' ratio as well: a path that is slower by as much in every call is steady.
    """
    part, beyond = (stats.trimmed(np.asarray(x)) for x in (found.tails, np.subtract(found.tails, found.logs)))
    shown = max(float(stats.p_above(x, LOG_WAVED)) for x in (part, beyond)) <= level / tests
    return factor(float(part.location)) if shown and not is_slower else None


def confirmation(question: Question, found: Evidence, faster: bool = False) -> Confirmation:
    """`faster`: what is to be borne out is a ratio below 1, as of a shift of all cases."""
    if not found.logs:
        return Confirmation(holds=False, median=1.0, launches=0)
    part = estimated(replace(question, prior=None), found)
    claim = replace(part, location=-part.location) if faster else part
    centre = factor(float(part.location) - math.log(question.wanted))
    return Confirmation(holds=bool(borne_out(claim)), median=centre, launches=len(found.logs))


def moved_together(ratios: Mapping[Question, Ratio], of: int) -> tuple[tuple[Question, ...], float]:
    """
    The cases that moved against base by a like amount, if they are more than half of the `of` planned, of two kernels
    or more; and by how much. One kernel's cases moving together are that kernel's business.
    """
    logs = {q: math.log(r.median) for q, r in ratios.items() if r.launches and stats.is_time(r.median)}
    for sign in (1, -1):
        moved = {q: x for q, x in logs.items() if sign * x > LOG_SLOWER}
        if not moved:
            continue
        centre = float(np.median(list(moved.values())))
        alike = tuple(q for q, x in moved.items() if abs(x - centre) <= max(ALIKE, 3 * error_of(ratios[q])))
        if len(alike) > of / 2 and len(alike) >= SHIFTED_CASES and len(kernels(alike)) > 1:
            return alike, factor(centre)
    return (), 1.0


def error_of(ratio: Ratio) -> float:
    return ratio.spread / math.sqrt(ratio.launches)


def kernels(questions: Iterable[Question]) -> set[str]:
    return {case.kernel for question in questions for case in question.cases}
