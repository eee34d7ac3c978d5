"""The events of the timed half: a look begins, a launch has ended."""

import math
from collections.abc import Mapping, Sequence

from kgate.model import Event
from kgate.runner.lockstep import Launch


def look_started(launches: int, still_open: int, cases: int, left_s: float, *, confirming: bool) -> Event:
    """
    `launches` are to come for each case that is still open, of `cases` in all; `left_s` is of the budget, None without.
    """
    fields = {
        "launches": launches,
        "open": still_open,
        "cases": cases,
        "confirming": confirming,
        "left_s": round(max(0.0, left_s), 1) if math.isfinite(left_s) else None,
    }
    return Event(name="look-started", fields=fields)


def launch_ended(number: int, cases: int, results: Sequence[Launch], *, confirming: bool) -> Event:
    """
    `spent_s`: what the gate waited for, by what it had asked for, over all GPUs; `busy_s`: device work of timed
    samples, the flushes before them included.
    """
    fields = {
        "launch": number,
        "cases": cases,
        "start_s": {arm: s for result in results for arm, s in result.start_s.items()},
        "confirming": confirming,
        "spent_s": {name: round(s, 4) for name, s in summed([result.spent_s for result in results]).items()},
        "busy_s": round(sum(result.busy_s for result in results), 4),
    }
    return Event(name="launch-ended", fields=fields)


def summed(parts: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {
        name: sum(part.get(name, 0.0) for part in parts) for name in dict.fromkeys(n for part in parts for n in part)
    }
