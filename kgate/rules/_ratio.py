"""A ratio of two arms' times in words, for the rules about latency."""

from kgate.figures import change, count, interval, time_of
from kgate.model import Case, Ratio, Run
from kgate.rules._law import Said


def measured(ratio: Ratio) -> str:
    """`+10.2 % (95 %: +9.1 … +11.4 %, 8 launches)`."""
    inside = f"95 %: {interval(ratio.low, ratio.high)}, {count(ratio.launches, 'launch', 'launches')}"
    return f"{change(ratio.median)} ({inside})"


def times(run: Run, case: Case, ratio: Ratio) -> dict[str, str]:
    """Evidence: both medians, the spread between launches, and how the time was taken."""
    latency = run.latency[case]
    medians = {
        name: time_of(latency.median_ns[name]) for name in (ratio.above, ratio.below) if name in latency.median_ns
    }
    return {**medians, "spread": f"{ratio.spread * 100:.1f} % between launches", "method": latency.method}


def inconclusive(run: Run, case: Case, ratio: Ratio, what: str) -> Said:
    """`what` was held against what: `head against base`."""
    spread = f"the launches differ by {ratio.spread * 100:.1f} % (one standard deviation)"
    return Said(
        sentence=f"{what} on workload {case.workload} is inconclusive after "
        f"{count(ratio.launches, 'launch', 'launches')}: {change(ratio.median)}, and {spread}",
        evidence={"interval": measured(ratio), **times(run, case, ratio)},
        advice="Run again on an idle machine, or with more launches (`--launches`).",
        undecided=True,
    )
