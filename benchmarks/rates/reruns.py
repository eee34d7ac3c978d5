"""
The same change tried again and again: every attempt looks at all launches so far and some more, and spends what
kgate.sequence.spending leaves it. "Unlucky" is a clean run whose first look saw one case 6 % slow, by chance.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kgate.sequence import spending

from .counted import Rate, rate
from .gate import CONFIRMING, LOOKS, NO_SLOWER, SLOWER, judged

AGAIN = tuple(range(LOOKS[-1] + 8, LOOKS[-1] + 81, 8))  # launches at each of ten attempts more
CHUNK = 200  # runs
LUCK = float(np.log(1.06))
CASES, TESTS = 100, 200
PASSED = 0.04 / 3  # all looks of all attempts together
Logs = npt.NDArray[np.float64]
Draw = Callable[[tuple[int, int, int]], Logs]  # runs, cases, launches: each launch's number, of clean code


@dataclass(frozen=True, kw_only=True)
class Attempts:
    """`blocked`, `passed`: at any of eleven attempts. Of runs of a hundred cases, or of a case slowed by 5 % in one."""

    clean: Rate
    unlucky: Rate
    unlucky_green: int  # runs: all cases passed at the last attempt
    five_passed: Rate

    def broken(self) -> list[str]:
        """What of docs/latency.md does not hold, in words."""
        found = {"clean runs": self.clean, "unlucky runs": self.unlucky}
        words = [f"{name} tried again, blocked {each}" for name, each in found.items() if each.hits > each.of / 200]
        passed = self.five_passed
        return words + ([f"+5 % tried again, passed {passed}"] if passed.hits > PASSED * passed.of else [])

    def __str__(self) -> str:
        return (
            f"clean runs blocked at any of {1 + len(AGAIN)} attempts: {self.clean}; unlucky ones: {self.unlucky}, "
            f"green at the last {self.unlucky_green}/{self.unlucky.of}; +5 % (scaled) passed at any: {self.five_passed}"
        )


def shares() -> dict[int, float]:
    """What each look may spend, the first attempt's three and one of each attempt more."""
    spent = spending(LOOKS, {})
    for look in AGAIN:
        spent |= spending((look,), spent)
    return spent


def attempts(draw: Draw, runs: int) -> Attempts:
    """Of `runs` clean runs, as many unlucky ones, and twenty times as many slowed cases."""
    blocked, unlucky, green = 0, 0, 0
    for first in range(0, runs, CHUNK):
        these = min(CHUNK, runs - first)
        blocked += int((decisions(drawn(draw, these, CASES)) == SLOWER).any(axis=(0, 2)).sum())
        bad = decisions(drawn(draw, these, CASES, luck=LUCK))
        unlucky += int((bad == SLOWER).any(axis=(0, 2)).sum())
        green += int((bad[-1] == NO_SLOWER).all(axis=-1).sum())
    five = decisions(drawn(draw, 20 * runs, 1) + np.log1p(0.05))
    return Attempts(
        clean=Rate(hits=blocked, of=runs),
        unlucky=Rate(hits=unlucky, of=runs),
        unlucky_green=green,
        five_passed=rate((five == NO_SLOWER).any(axis=(0, 2))),
    )


def drawn(draw: Draw, runs: int, cases: int, luck: float = 0.0) -> Logs:
    """[runs, cases, launches of all looks, then those that confirm]; `luck` is added to the first case's first look."""
    logs = draw((runs, cases, AGAIN[-1] + (len(LOOKS) + len(AGAIN)) * CONFIRMING))
    logs[:, 0, : LOOKS[0]] += luck
    return logs


def decisions(logs: Logs) -> npt.NDArray[np.int8]:
    """
    [attempts, runs, cases]. A case that was decided earlier is looked at again, as a run does that starts from the
    ledger; launches that confirmed or did not are not pooled here, which a run would do.
    """
    spent = shares()
    fresh = logs[..., AGAIN[-1] :].reshape(*logs.shape[:-1], -1, CONFIRMING)
    first = judged(logs[..., : LOOKS[-1]], fresh[..., : len(LOOKS), :], TESTS, errors=[spent[n] for n in LOOKS])
    found = [first.decision]
    for number, look in enumerate(AGAIN, start=len(LOOKS)):
        again = judged(logs, fresh[..., number : number + 1, :], TESTS, looks=(look,), errors=[spent[look]])
        found.append(again.decision)
    return np.stack(found)
