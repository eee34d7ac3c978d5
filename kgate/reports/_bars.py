"""Ratios and their intervals as bars of text, where a sentence for each case would be longer."""

import math

from kgate.escape import plain
from kgate.figures import change, interval
from kgate.model import HEAD, Ratio, Run
from kgate.reports._cells import named
from kgate.reports._notes import RIVALS
from kgate.reports._view import Group

WIDTH = 40  # columns of the bar itself
LEAST = 0.01  # of a ratio: what the scale spans at least, so that noise is not drawn as a canyon
LONGEST = 40  # characters of a workload's name


def bars(run: Run, group: Group) -> tuple[str, ...]:
    """
    A line for each case, in code, under one that says what is drawn; () for a single case, for rules that compare no
    times, and where a ratio has no interval.
    """
    found = {f.name.removeprefix(f"{f.kernel}/"): ratio_of(run, group.first.rule, f.name) for f in group.findings}
    ratios = {name: ratio for name, ratio in found.items() if ratio and drawable(ratio)}
    if len(group.findings) < 2 or len(ratios) < len(group.findings):
        return ()
    low = min(1.0, *(ratio.low for ratio in ratios.values()))
    high = max(low + LEAST, 1.0, *(ratio.high for ratio in ratios.values()))
    room = min(LONGEST, max(map(len, ratios)))
    rival = RIVALS[group.first.rule].words
    legend = f"│ as fast as {rival}, ● slower by, ├ ┤ 95 % interval over launches"
    return (legend, *(line(name, ratio, low, high, room) for name, ratio in ratios.items()))


def ratio_of(run: Run, rule: str, name: str) -> Ratio | None:
    rival = RIVALS.get(rule)
    latency = next((found for case, found in run.latency.items() if named(case) == name), None)
    return latency.ratio(HEAD.name, rival.arm.name) if rival and rival.arm and latency else None


def drawable(ratio: Ratio) -> bool:
    return 0 < ratio.low <= ratio.median <= ratio.high < math.inf


def line(name: str, ratio: Ratio, low: float, high: float, room: int) -> str:
    told = f"{change(ratio.median)} ({interval(ratio.low, ratio.high)})"
    return f"{plain(name, room):{room}}  {bar(ratio, low, high)}  {told}"


def bar(ratio: Ratio, low: float, high: float) -> str:
    """WIDTH columns from `low` to `high`, which hold 1 and the interval."""

    def column(value: float) -> int:
        return round((value - low) / (high - low) * (WIDTH - 1))

    first, last = column(ratio.low), column(ratio.high)
    drawn = [" "] * WIDTH
    drawn[column(1.0)] = "│"
    drawn[first : last + 1] = "─" * (last - first + 1)
    drawn[first], drawn[last] = "├", "┤"
    drawn[column(ratio.median)] = "●"
    return "".join(drawn)
