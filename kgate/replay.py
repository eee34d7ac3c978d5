"""
kgate's rule on many runs at once, from the very functions that decide a run, one array instead of one case; and how
sure one can be of a rate that was counted so.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kgate.decision import borne_out, decided
from kgate.figures import rate
from kgate.margins import MARGINS
from kgate.stats import Array, Estimate, Prior, bisected, moderated, trimmed

LOOKS = (8, 16, 32)
CONFIRMING = MARGINS.confirming_launches
OPEN, SLOWER, NO_SLOWER = 0, 1, 2


@dataclass(frozen=True, kw_only=True)
class Judged:
    """[runs, cases]: what was decided, and after how many launches, confirming ones included."""

    decision: npt.NDArray[np.int8]
    launches: npt.NDArray[np.int32]


def history(logs: Array) -> Prior:
    """What forty launches of each case, along the last axis, leave for later runs."""
    found = trimmed(logs)
    usable = min(int(np.max(found.freedom)), MARGINS.prior_freedom) // 2 * 2
    return Prior(variance=found.variance, freedom=usable)


def judged(
    logs: Array,
    fresh: Array,
    tests: int,
    prior: Prior | None = None,
    looks: tuple[int, ...] = LOOKS,
    errors: Sequence[float] = (),
) -> Judged:
    """
    `logs`: [runs, cases, launches], each launch's number; `fresh`: [runs, cases, looks, 8], of the confirmation that a
    claim at that look asks for; `errors`: what each look may spend, an equal share by default. What earlier looks
    called slower does not help later ones here, as it does in a run: that costs power where many cases are slow, and
    nothing else.
    """
    shape, errors = logs.shape[:2], errors or [MARGINS.error_rate / len(looks)] * len(looks)
    decision, used, failed = np.zeros(shape, np.int8), np.zeros(shape, np.int32), np.zeros(shape, np.int8)
    for number, look in enumerate(looks):
        rows = np.flatnonzero((decision == OPEN).any(axis=1))
        if not len(rows):
            break
        was_open = decision[rows] == OPEN
        found = estimated(logs, fresh, failed, rows, look, number, prior)
        slower, passes = decided(found, tests, errors[number])
        claimed = slower & was_open
        holds = np.zeros_like(claimed)
        holds[claimed] = borne_out(trimmed(fresh[rows, :, number][claimed]))
        used[rows] = np.where(was_open, look + CONFIRMING * (failed[rows] + claimed), used[rows])
        failed[rows] += claimed & ~holds
        decision[rows] = np.where(
            was_open, np.select([claimed & holds, passes & ~claimed], [SLOWER, NO_SLOWER], OPEN), decision[rows]
        )
    return Judged(decision=decision, launches=used)


def estimated(
    logs: Array, fresh: Array, failed: Array, rows: Array, look: int, number: int, prior: Prior | None
) -> Estimate:
    """Of all cases of these runs: the look's launches, and those of confirmations that failed before it."""
    names = ("location", "variance", "freedom", "launches")
    parts = {name: np.zeros((len(rows), logs.shape[1])) for name in names}
    kind = failed[rows]
    for pooled in np.unique(kind):
        these = kind == pooled
        chosen = logs[rows, :, :look][these]
        if pooled:
            # Which of the earlier looks failed does not matter to the statistics: fresh launches are alike.
            extra = fresh[rows][these][:, number - int(pooled) : number].reshape(len(chosen), -1)
            chosen = np.concatenate([chosen, extra], axis=-1)
        old = None if prior is None else Prior(variance=np.asarray(prior.variance)[rows][these], freedom=prior.freedom)
        part = moderated(trimmed(chosen), old)
        for name in names:
            parts[name][these] = getattr(part, name)
    return Estimate(
        location=parts["location"],
        variance=parts["variance"],
        freedom=parts["freedom"].astype(int),
        launches=parts["launches"].astype(int),
    )


@dataclass(frozen=True, kw_only=True)
class Rate:
    """Counted: how often something happened of how many times it could have."""

    hits: int
    of: int

    @property
    def bound(self) -> float:
        """
        Upper, one-sided 95 %, of Clopper and Pearson (1934), The use of confidence or fiducial limits illustrated in
        the case of the binomial, Biometrika 26: with a larger chance, so few hits would be a matter of 5 %. 1 of none.
        """
        if self.hits >= self.of:
            return 1.0
        return bisected(lambda p: self.at_most(p) > 1 - MARGINS.confidence, 0.0, 1.0)

    def at_most(self, chance: float) -> float:
        """P(no more hits than these), each time with this chance."""
        if chance in (0.0, 1.0):
            return 1.0 - chance
        log_terms = [
            math.lgamma(self.of + 1)
            - math.lgamma(k + 1)
            - math.lgamma(self.of - k + 1)
            + k * math.log(chance)
            + (self.of - k) * math.log1p(-chance)
            for k in range(self.hits + 1)
        ]
        return math.fsum(map(math.exp, log_terms))

    def __str__(self) -> str:
        return rate(self.hits, self.of, self.bound)
