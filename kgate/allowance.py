"""
How long a run may take, and which cases its time is spent on. Values in, values out: the clock's readings are given.

Answers, fallbacks and owners are not held to it: they come first and take what they take. What is left goes to
launches, of the most important cases first.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kgate.figures import count
from kgate.model import Case

# A look leaves time to confirm what it claims, and a confirmation leaves time to compare the timed samples: else the
# claim, and with it the look, would have been for nothing.
LOOKS_SHARE, CONFIRMING_SHARE = 0.8, 0.95
# Of one case in one launch before any was taken: 0.27 to 0.6 s on an H200, 1 to 4 s on two cores.
GUESS_S: Mapping[str, float] = {"cpu": 2.0, "cuda": 0.5}
NAMED = 10  # cases in the sentence about what was left


@dataclass(frozen=True, kw_only=True)
class Allowance:
    """`began_s` is a reading of the monotonic clock; without a budget there is no end."""

    began_s: float = 0.0
    budget_s: float = math.inf

    @property
    def minutes(self) -> float:
        return self.budget_s / 60

    def until_s(self, *, confirming: bool) -> float:
        """The reading at which looks, or a confirmation, have to be over."""
        return self.began_s + self.budget_s * (CONFIRMING_SHARE if confirming else LOOKS_SHARE)


NO_END = Allowance()


class Purse:
    """What is left of a run's time, and what a launch was seen to take: `case_s` for each case, `launch_s` besides."""

    def __init__(self, allowance: Allowance, weights: Mapping[Case, float], kind: str, lanes: int) -> None:
        self.allowance = allowance
        self.weights = weights
        self.lanes = lanes  # GPUs that take launches side by side
        self.guess_s = GUESS_S.get(kind, max(GUESS_S.values()))
        self.case_s: dict[Case, float] = {}
        self.launch_s = 0.0

    def left_s(self, now_s: float, *, confirming: bool) -> float:
        return self.allowance.until_s(confirming=confirming) - now_s

    def reckon(self, case_s: Mapping[Case, float], wall_s: float) -> None:
        """What a launch of these cases teaches about the next ones."""
        self.case_s.update(case_s)
        self.launch_s = max(0.0, wall_s - sum(case_s.values()) / self.lanes)

    def affordable(self, left: Mapping[int, Sequence[Case]], now_s: float, *, confirming: bool) -> tuple[Case, ...]:
        """
        Of the cases that have launches `left`, by number, those whose launches all fit into what is left of the time.
        The heaviest are chosen first, and what they leave goes to lighter ones. Before the first launch it has to be
        enough for that one, which tells what the others take.
        """
        launches = len(left) if self.case_s else 1
        cases = list(dict.fromkeys(case for pending in left.values() for case in pending))
        left_s = (self.left_s(now_s, confirming=confirming) - self.launch_s * launches) * self.lanes
        chosen = set()
        for case in sorted(cases, key=lambda c: -self.weights.get(c, 1.0)):
            needed_s = self.case_s.get(case, self.guess_s) * launches
            if needed_s <= left_s:
                left_s -= needed_s
                chosen.add(case)
        return tuple(case for case in cases if case in chosen)


def left_over(allowance: Allowance, cases: Iterable[Case], of: int) -> str:
    """What a report says of the cases that the time did not reach; "" for none."""
    names = [f"{case.kernel}/{case.workload}" for case in cases]
    if not names:
        return ""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    listed = ", ".join(names[:NAMED]) + more
    without = f"{len(names)} of {count(of, 'case')} left without a latency verdict"
    return f"--budget {allowance.minutes:g}: {without}: {listed}"
