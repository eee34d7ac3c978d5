"""A ratio of two arms' times in words, for the rules about latency."""

from kgate.figures import change, count, interval, margin, time_of
from kgate.margins import MARGINS
from kgate.model import Case, Ratio, Run
from kgate.rules._law import Said
from kgate.rules._state import OVER_BUDGET

MEASURE_ANEW = "Mend that, delete `.kgate`, which would give these launches back, and measure again."


def measured(ratio: Ratio) -> str:
    """`+10.2 % (95 %: +9.1 … +11.4 %, 8 launches)`; of one launch there is no interval."""
    launches = count(ratio.launches, "launch", "launches")
    inside = f"95 %: {interval(ratio.low, ratio.high)}, {launches}" if ratio.launches > 1 else launches
    return f"{change(ratio.median)} ({inside})"


def decided(ratio: Ratio) -> str:
    """
    `decided against +3 %, confirmed by +10.0 % in 8 launches of fresh processes`: what a ratio has to be shown above to
    be called slower than is wanted, and who bore it out.
    """
    limit = f"decided against {margin(MARGINS.slower_above / ratio.wanted)}"
    if ratio.confirmation is None:
        return limit
    fresh = count(ratio.confirmation.launches, "launch", "launches")
    return f"{limit}, confirmed by {change(ratio.confirmation.median)} in {fresh} of fresh processes"


def spread(ratio: Ratio) -> dict[str, str]:
    """Evidence: how far launches differ, and which of them were left out."""
    told = {"spread": f"{ratio.spread * 100:.1f} % between launches"} if ratio.launches > 1 else {}
    if ratio.throttled:
        told["throttled"] = f"{count(ratio.throttled, 'launch', 'launches')}, left out"
    return told


def times(run: Run, case: Case, ratio: Ratio) -> dict[str, str]:
    """Evidence: both medians, the spread between launches, and how the time was taken."""
    latency = run.latency[case]
    medians = {
        name: time_of(latency.median_ns[name]) for name in (ratio.above, ratio.below) if name in latency.median_ns
    }
    return {**medians, **spread(ratio), "method": latency.method}


def inconclusive(run: Run, case: Case, ratio: Ratio, what: str) -> Said:
    """`what` was held against what (`head against base`)."""
    if ratio.launches:
        said = f"after {count(ratio.launches, 'launch', 'launches')}: {change(ratio.median)}, {ratio.reason}"
        shown = {"interval": measured(ratio)}
    else:
        said, shown = f"without a valid launch: {ratio.reason}", {}
    advice = more_launches(ratio.launches) if ratio.launches else MEASURE_ANEW
    return Said(
        sentence=f"{what} on workload {case.workload} is inconclusive {said}",
        evidence={**shown, **times(run, case, ratio)},
        advice=OVER_BUDGET if case in run.over_budget else advice,
        undecided=True,
    )


def more_launches(taken: int) -> str:
    """The same command would find its finished answer in the ledger and draw nothing."""
    wanted = 2 * max(taken, MARGINS.least_launches)
    return (
        f"Take more launches, which add to these: `--launches {wanted}`. To measure anew on an idle machine, delete "
        "`.kgate` first."
    )
