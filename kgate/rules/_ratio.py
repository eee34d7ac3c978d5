"""A ratio of two arms' times in words, for the rules about latency."""

from kgate.figures import change, count, interval, margin, time_of
from kgate.model import Case, Ratio, Run
from kgate.rules._law import Said
from kgate.stats import POLICY


def measured(ratio: Ratio) -> str:
    """`+10.2 % (95 %: +9.1 … +11.4 %, 8 launches)`; of one launch there is no interval."""
    launches = count(ratio.launches, "launch", "launches")
    inside = f"95 %: {interval(ratio.low, ratio.high)}, {launches}" if ratio.launches > 1 else launches
    return f"{change(ratio.median)} ({inside})"


def decided(speedup: float | None = None) -> str:
    """`decided against +3 %`: what a ratio has to be shown above to be called slower than is wanted."""
    return f"decided against {margin(POLICY.slower_above / (speedup or 1))}"


def times(run: Run, case: Case, ratio: Ratio) -> dict[str, str]:
    """Evidence: both medians, the spread between launches, and how the time was taken."""
    latency = run.latency[case]
    medians = {
        name: time_of(latency.median_ns[name]) for name in (ratio.above, ratio.below) if name in latency.median_ns
    }
    spread = {"spread": f"{ratio.spread * 100:.1f} % between launches"} if ratio.launches > 1 else {}
    return {**medians, **spread, "method": latency.method}


def inconclusive(run: Run, case: Case, ratio: Ratio, what: str, speedup: float | None = None) -> Said:
    """`what` was held against what (`head against base`), of which `speedup` is wanted."""
    launches = count(ratio.launches, "launch", "launches")
    return Said(
        sentence=f"{what} on workload {case.workload} is inconclusive after {launches}: {change(ratio.median)}, "
        f"{undecided(ratio, speedup)}",
        evidence={"interval": measured(ratio), **times(run, case, ratio)},
        advice=more_launches(ratio.launches),
        undecided=True,
    )


def undecided(ratio: Ratio, speedup: float | None) -> str:
    if ratio.launches < POLICY.least_launches:
        return f"and fewer than {POLICY.least_launches} launches decide nothing"
    above, below = (limit / (speedup or 1) for limit in (POLICY.slower_above, POLICY.waved_under))
    return f"neither shown above {margin(above)} nor below {margin(below)}"


def more_launches(taken: int) -> str:
    """The same command would find its finished answer in the ledger and draw nothing."""
    wanted = 2 * max(taken, POLICY.least_launches)
    return (
        f"Take more launches, which add to these: `--launches {wanted}`. To measure anew on an idle machine, delete "
        "`.kgate` first."
    )
