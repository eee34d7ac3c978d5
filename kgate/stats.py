"""
Samples to numbers, numbers to intervals. The launch, a fresh process of each arm, is what is counted.

One launch gives one number: the median over its sample pairs of log(above / below). Everything after that is a trimmed
mean over launches; intervals from pooled samples would be far too narrow, since samples of one process share its fate.

Functions of arrays work along the last axis, so that a gate of one run and a simulation of thousands share them. SciPy
has all the distributions used here, for 35 MB more to install on every runner; with whole degrees of freedom each is a
finite sum of a few lines, which the tests hold against SciPy.
"""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from kgate.margins import MARGINS

Floats = npt.NDArray[np.float64]
Array = npt.NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """
    Of the mean log ratio, elementwise. `variance` is of one launch, so that the mean's is `variance / launches`.

    `freedom`: whole degrees of freedom of the variance; 0 where one launch says nothing of it, and it is inf.
    """

    location: Floats
    variance: Floats
    freedom: Array
    launches: Array

    @property
    def error(self) -> Floats:
        return np.sqrt(self.variance / self.launches)


@dataclass(frozen=True, kw_only=True)
class Prior:
    """
    What a case's earlier launches say of the variance of one launch, elementwise; `freedom` is even, as `f_upper`
    wants it.
    """

    variance: Array | float
    freedom: int

    @classmethod
    def of(cls, spread_log: float, freedom: int) -> "Prior | None":
        """None where too little is known to be of use."""
        usable = min(freedom, MARGINS.prior_freedom) // 2 * 2
        return cls(variance=spread_log**2, freedom=usable) if usable >= 2 and spread_log > 0 else None


def datum(above_ns: Sequence[float], below_ns: Sequence[float]) -> float:
    """
    The launch's number: the median of log(above / below) over pairs in the order taken; samples without a partner, as
    an arm that died leaves them, are dropped. Raises ValueError without a pair or for a time that is none.
    """
    pairs = min(len(above_ns), len(below_ns))
    above, below = np.asarray(above_ns[:pairs], float), np.asarray(below_ns[:pairs], float)
    if not pairs or not all(map(is_time, (*above_ns, *below_ns))):
        raise ValueError("a time must be finite and above 0 ns, and there must be a pair")
    return float(np.median(np.log(above) - np.log(below)))


def is_time(time_ns: float) -> bool:
    return 0 < time_ns < math.inf  # False for NaN


def step_ns(samples_ns: Sequence[float]) -> float:
    """
    The timer's resolution as far as these samples show it: the least distance between two of them, and from 0. A timer
    that has shown one value only has shown no finer step than that. Distances under 1e-4 of the median are rounding.
    """
    seen = np.unique(np.asarray([0.0, *samples_ns]))
    gaps = np.diff(seen)
    return float(np.min(gaps, where=gaps > 1e-4 * np.median(seen), initial=np.max(gaps)))


def trimmed(log_ratios: Array) -> Estimate:
    """
    20 % trimmed mean, winsorised variance and degrees of freedom of Yuen (1974), The two-sample trimmed t for unequal
    population variances, Biometrika 61, for one sample, as in Wilcox, Introduction to Robust Estimation, 4.3.2:
    with g of n values cut at either end and h = n − 2g left, error² = (n − 1) s_w² / (h (h − 1)) and h − 1 degrees.
    """
    count = log_ratios.shape[-1]
    cut = int(MARGINS.trimmed * count)
    left = count - 2 * cut
    ordered = np.sort(np.asarray(log_ratios, float), axis=-1)
    location = ordered[..., cut : count - cut].mean(axis=-1)
    whole = np.full(location.shape, count)
    if left < 2:
        return Estimate(location=location, variance=np.full(location.shape, np.inf), freedom=0 * whole, launches=whole)
    kept = np.clip(ordered, ordered[..., cut : cut + 1], ordered[..., count - cut - 1 : count - cut])
    variance = kept.var(axis=-1, ddof=1) * (count - 1) * count / (left * (left - 1))
    # Equal values differ from their own mean by rounding; a spread of that size is none.
    variance = np.where(ordered[..., cut] == ordered[..., count - cut - 1], 0.0, variance)
    return Estimate(location=location, variance=variance, freedom=whole - 2 * cut - 1, launches=whole)


def moderated(found: Estimate, prior: Prior | None) -> Estimate:
    """
    The variance drawn towards the case's history, as Smyth (2004), Linear models and empirical Bayes methods, 3.2:
    (d₀ s₀² + d s²) / (d₀ + d) with d₀ + d degrees. Where an F test says that the noise has grown, history is dropped.

    All elements of `found` have as many launches.
    """
    if prior is None or not np.all(found.freedom):
        return found
    freedom = int(np.max(found.freedom))
    keeps = f_upper(found.variance / prior.variance, freedom, prior.freedom) > MARGINS.guard
    drawn = (prior.freedom * prior.variance + found.freedom * found.variance) / (prior.freedom + found.freedom)
    return replace(
        found,
        variance=np.where(keeps, drawn, found.variance),
        freedom=np.where(keeps, prior.freedom + found.freedom, found.freedom),
    )


def p_above(found: Estimate, limit: Array | float) -> Floats:
    """One-sided p of "the mean is at most `limit`"; 1 where fewer launches than are needed say anything."""
    distance = found.location - limit
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(distance == 0, 0.0, distance / found.error)
    enough = found.launches >= MARGINS.least_launches
    return np.where(enough, t_upper(t, found.freedom), 1.0)


def upper(found: Estimate, level: float) -> Floats:
    """What the mean exceeds with this probability at most; inf where too few launches say anything."""
    quantiles = {int(d): t_quantile(1 - level, int(d)) if d else 0.0 for d in np.unique(found.freedom)}
    factor = np.vectorize(quantiles.__getitem__, otypes=[float])(found.freedom)
    enough = found.launches >= MARGINS.least_launches
    return np.where(enough, found.location + factor * np.where(enough, found.error, 0.0), np.inf)


def rejected(p: Array, tests: int, level: float) -> npt.NDArray[np.bool_]:
    """
    Benjamini and Hochberg (1995), Controlling the false discovery rate, over `tests` tests; those that `p` does not
    hold count as p = 1.
    """
    ordered = np.sort(p, axis=-1)
    rank = np.arange(1, p.shape[-1] + 1)
    last = np.max(np.where(ordered <= level * rank / tests, rank, 0), axis=-1, initial=0, keepdims=True)
    bar = np.where(last > 0, np.take_along_axis(ordered, np.maximum(last - 1, 0), axis=-1), -1.0)
    return np.asarray(p <= bar)


def t_two_sided(t: Array | float, freedom: int) -> Floats:
    """
    P(|T| ≤ t) of Student's distribution for a whole number of degrees of freedom: the finite sums of Abramowitz and
    Stegun, Handbook of Mathematical Functions, 26.7.3 (odd) and 26.7.4 (even).
    """
    theta = np.arctan2(t, math.sqrt(freedom))
    cosine = np.where(np.isinf(t), 0.0, np.cos(theta))
    odd = freedom % 2
    term = cosine if odd else np.ones_like(cosine)
    total = term if freedom > 1 else np.zeros_like(cosine)
    for k in range(2 + odd, freedom - 1, 2):
        term = term * cosine**2 * ((k - 1) / k)
        total = total + term
    return np.asarray(2 / math.pi * (theta + np.sin(theta) * total) if odd else np.sin(theta) * total)


def t_upper(t: Array | float, freedom: Array | int) -> Floats:
    """P(T > t), elementwise; ½ for no degrees of freedom."""
    values, degrees = np.broadcast_arrays(np.asarray(t, float), np.asarray(freedom))
    found = np.full(values.shape, 0.5)
    for degree in np.unique(degrees):
        if degree:
            these = degrees == degree
            inside = t_two_sided(np.abs(values[these]), int(degree))
            found[these] = (1 - np.sign(values[these]) * inside) / 2
    return found


@functools.cache
def t_quantile(probability: float, freedom: int) -> float:
    """The t below which Student's distribution has this probability, ½ ≤ probability < 1; by bisection."""
    if not 0.5 <= probability < 1 or freedom < 1:
        raise ValueError(f"no t quantile of {probability} with {freedom} degrees of freedom")
    low, high = 0.0, 1.0
    while t_two_sided(high, freedom) < 2 * probability - 1:
        low, high = high, 2 * high
    return bisected(lambda t: bool(t_two_sided(t, freedom) < 2 * probability - 1), low, high)


def bisected(below: Callable[[float], bool], low: float, high: float) -> float:
    """Where `below` turns False between low and high, to the last bit."""
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if below(middle) else (low, middle)
    return high


def f_upper(f: Array | float, above: int, below: int) -> Floats:
    """
    P(F > f) for an even number of degrees of freedom `below`: the finite sum of Abramowitz and Stegun, 26.6.5.
    """
    scaled = above * np.asarray(f, float)
    x = below / (below + scaled)
    term = np.ones_like(x)
    total = np.ones_like(x)
    for k in range(2, below, 2):
        term = term * x * (above + k - 2) / k
        total = total + term
    return np.asarray(1 - (scaled / (below + scaled)) ** (above / 2) * total)
