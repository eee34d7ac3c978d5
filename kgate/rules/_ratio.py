"""A ratio of two arms' times in words, for the rules about latency."""

from kgate.figures import change, count, interval, time_of
from kgate.model import Case, Ratio, Run


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


def spread_of(ratio: Ratio) -> str:
    return f"the launches differ by {ratio.spread * 100:.1f} % (one standard deviation)"
