"""
Samples to intervals and decisions. The launch, a fresh process of each arm, is what is counted.

One launch gives one number: the median over its sample pairs of log(above / below). Everything after that is Student's
t over launches; intervals from pooled samples would be far too narrow, since samples of one process share its fate.
"""

import functools
import math
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kgate.errors import WorkerError
from kgate.model import BASE, FALLBACK, HEAD, Decision, Latency, LaunchTiming, Ratio


@dataclass(frozen=True, kw_only=True)
class Policy:
    """
    The numbers of a latency decision, in one place. Factors of time: 1.05 is 5 % slower.

    A slowdown above `slower_above` is worth a block, one of `waved_under` must not be waved through; between the two
    a decision may go either way. `error_rate` is shared among all latency tests of a run and all looks planned at each
    (Bonferroni), so that it bounds the chance of any wrong *slower* in that run, and of any wrong *no slower* likewise.
    """

    slower_above: float = 1.03
    waved_under: float = 1.05
    error_rate: float = 0.01
    confidence: float = 0.95  # of the two-sided interval that is shown
    least_launches: int = 3  # two launches bound no spread: t at 1 % with one degree of freedom is 32


POLICY = Policy()
PAIRS = ((HEAD.name, BASE.name), (HEAD.name, FALLBACK.name), (BASE.name, FALLBACK.name))


def latency(launches: Sequence[LaunchTiming], tests: int, looks: int = 1) -> Latency:
    """
    All that these launches of one case say. `tests`: latency tests planned for the whole run; `looks`: how often each
    may be asked for a decision while launches come in. Both are fixed beforehand.

    An arm that is missing from a launch is left out there. Raises WorkerError for a time that is none, or if the
    launches were timed by different methods; ValueError for no launch at all.
    """
    if not launches:
        raise ValueError("no launches")
    for launch in launches:
        _refuse(launch, launches[0].method)
    arms = dict.fromkeys(arm for launch in launches for arm in launch.samples_ns)
    ratios = (ratio(launches, above, below, tests, looks) for above, below in PAIRS)
    return Latency(
        launches=tuple(launches),
        median_ns={arm: time for arm in arms if (time := _median_ns(launches, arm)) is not None},
        ratios=tuple(found for found in ratios if found is not None),
        method=launches[0].method,
    )


def ratio(launches: Sequence[LaunchTiming], above: str, below: str, tests: int, looks: int = 1) -> Ratio | None:
    """
    Time of arm `above` over that of `below`; None if no launch has both.

    `median` is exp of the mean over launches of the launches' medians. With one launch the interval is 0 to inf.
    """
    both = [launch.samples_ns for launch in launches if _ran(launch, above, below)]
    found = [datum(samples_ns[above], samples_ns[below]) for samples_ns in both]
    if not found:
        return None
    centre, spread = _location(found), _spread(found)
    half = _half_width(found, 1 - (1 - POLICY.confidence) / 2)
    return Ratio(
        above=above,
        below=below,
        median=_factor(centre),
        low=_factor(centre - half),
        high=_factor(centre + half),
        launches=len(found),
        spread=spread,
        decision=decide(found, tests, looks),
        log_ratios=tuple(found),
        shares=tests * looks,
    )


def against(found: Ratio, speedup: float | None) -> Decision:
    """
    The decision about a ratio of which a speed-up is wanted: 1.2 means that a median of 1 / 1.2 is even.

    None wants what every ratio is held to. Margins, error rate and the least number of launches are the same.
    """
    if speedup is None:
        return found.decision
    return decide([x + math.log(speedup) for x in found.log_ratios], found.shares)


def undecided(found: Latency, speedup: float | None) -> bool:
    """Whether another look could change what is said of head: against base, or against the fallback as wanted."""
    pays = found.ratio(HEAD.name, FALLBACK.name)
    kept = found.ratio(HEAD.name, BASE.name)
    decisions = (pays and against(pays, speedup), kept and kept.decision)
    return Decision.INCONCLUSIVE in decisions


def datum(above_ns: Sequence[float], below_ns: Sequence[float]) -> float:
    """
    The launch's number: the median of log(above / below) over pairs in the order taken; samples without a partner, as
    an arm that died leaves them, are dropped. Raises ValueError without a pair or for a time that is none.
    """
    if not all(map(_is_time, (*above_ns, *below_ns))):
        raise ValueError("a time must be finite and above 0 ns")
    return statistics.median(math.log(a) - math.log(b) for a, b in zip(above_ns, below_ns, strict=False))


def decide(log_ratios: Sequence[float], tests: int, looks: int = 1) -> Decision:
    """
    `slower` if the lower bound of the mean log ratio is above log 1.03, else `no slower` if the upper bound is under
    log 1.05, else, and with fewer than three launches, `inconclusive`. Both bounds are one-sided, at
    1 % / (tests × looks).

    Raises ValueError for NaN or an infinity, or if `tests` or `looks` is not positive.
    """
    if tests < 1 or looks < 1:
        raise ValueError(f"{tests} tests planned, {looks} looks at each: at least this one is")
    if not all(map(math.isfinite, log_ratios)):
        raise ValueError("a log ratio must be finite")
    if len(log_ratios) < POLICY.least_launches:
        return Decision.INCONCLUSIVE
    centre, half = _location(log_ratios), _half_width(log_ratios, 1 - POLICY.error_rate / (tests * looks))
    if centre - half > math.log(POLICY.slower_above):
        return Decision.SLOWER
    return Decision.NO_SLOWER if centre + half < math.log(POLICY.waved_under) else Decision.INCONCLUSIVE


def t_two_sided(t: float, freedom: int) -> float:
    """
    P(|T| ≤ t) of Student's distribution for a whole number of degrees of freedom: the finite sums of Abramowitz and
    Stegun, Handbook of Mathematical Functions, 26.7.3 (odd) and 26.7.4 (even).
    """
    theta = math.atan2(t, math.sqrt(freedom))
    cosine_squared = math.cos(theta) ** 2
    odd = freedom % 2
    term = math.cos(theta) if odd else 1.0
    total = term if freedom > 1 else 0.0
    for k in range(2 + odd, freedom - 1, 2):
        term *= cosine_squared * (k - 1) / k
        total += term
    return 2 / math.pi * (theta + math.sin(theta) * total) if odd else math.sin(theta) * total


@functools.cache
def t_quantile(probability: float, freedom: int) -> float:
    """The t below which Student's distribution has this probability, ½ ≤ probability < 1; by bisection."""
    if not 0.5 <= probability < 1 or freedom < 1:
        raise ValueError(f"no t quantile of {probability} with {freedom} degrees of freedom")
    low, high = 0.0, 1.0
    while t_two_sided(high, freedom) < 2 * probability - 1:
        low, high = high, 2 * high
    return _bisected(lambda t: t_two_sided(t, freedom) < 2 * probability - 1, low, high)


def _bisected(below: Callable[[float], bool], low: float, high: float) -> float:
    """Where `below` turns False between low and high, to the last bit."""
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if below(middle) else (low, middle)
    return high


def _is_time(time_ns: float) -> bool:
    return 0 < time_ns < math.inf  # False for NaN


def _factor(log_ratio: float) -> float:
    """exp, with inf in place of an OverflowError: the samples are a worker's word."""
    return math.exp(log_ratio) if log_ratio < math.log(sys.float_info.max) else math.inf


def _location(log_ratios: Sequence[float]) -> float:
    return math.fsum(log_ratios) / len(log_ratios)


def _spread(log_ratios: Sequence[float]) -> float:
    return statistics.stdev(log_ratios) if len(log_ratios) > 1 else 0.0


def _half_width(log_ratios: Sequence[float], probability: float) -> float:
    """Of the interval of the mean whose upper end holds with this probability; inf for one launch."""
    count = len(log_ratios)
    if count < 2:
        return math.inf
    return t_quantile(probability, count - 1) * _spread(log_ratios) / math.sqrt(count)


def _ran(launch: LaunchTiming, *arms: str) -> bool:
    return all(launch.samples_ns.get(arm) for arm in arms)


def _median_ns(launches: Sequence[LaunchTiming], arm: str) -> float | None:
    medians = [statistics.median(launch.samples_ns[arm]) for launch in launches if _ran(launch, arm)]
    return statistics.median(medians) if medians else None


def _refuse(launch: LaunchTiming, method: str) -> None:
    if launch.method != method:
        raise WorkerError(
            f"launch {launch.launch} was timed by {launch.method}, an earlier one by {method}: times of different "
            "methods cannot be compared; start over without the earlier launches"
        )
    for arm, samples_ns in launch.samples_ns.items():
        for time_ns in samples_ns:
            if not _is_time(time_ns):
                raise WorkerError(
                    f"launch {launch.launch}, arm {arm}: {time_ns} ns is no time; measure again, and if it comes back, "
                    "look for a kernel that patches the timer"
                )
