"""The custom path does not pay: it is slower than the fallback, or wins less than the manifest asks."""

from collections.abc import Iterable

from kgate.figures import factor
from kgate.model import FALLBACK, FALLBACK_TIMED, HEAD, Case, Decision, Finding, Level, Ratio, Run
from kgate.rules._law import Limit, Said, of_case
from kgate.rules._ratio import decided, inconclusive, measured, more_launches, times
from kgate.rules._state import custom_right, fallback_failure, first_broken, happened, not_here

NAME = "slower-than-fallback"
DEFAULT = Level.WARN
ON_CPU: Level | None = Level.NOTE
WANTS = "The custom path is no slower than the fallback, or faster by `latency.min_speedup` where the manifest sets it."
WHY = (
    "The fallback is the path that production would run without the kernel. A kernel that does not beat it costs "
    "review, risk and an owner for nothing; a win that is not clear goes to the simpler path."
)
SATISFY = (
    "Tune the kernel for this device and these shapes, send the workloads that lose to the fallback in the dispatch, "
    "or remove the kernel. A wanted speed-up is held to the same margins as every ratio: 3 % short of it is allowed."
)


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    for case in run.cases:
        # A fallback that is wrong is no rival. One that was not asked, as base's mostly is not, was timed as head's.
        rival = first_broken(run, (FALLBACK, FALLBACK_TIMED), case) is None
        said = case_said(run, case) if rival and custom_right(run, case) else None
        if said:
            yield of_case(run, limit, case, said)


def case_said(run: Run, case: Case) -> Said | None:
    latency = run.latency.get(case)
    if latency is None or HEAD.name not in latency.median_ns:
        return None
    ratio = latency.ratio(HEAD.name, FALLBACK.name)
    if ratio is None:
        return not_timed(run, case)
    wanted = run.kernels[case.kernel].min_speedup
    match ratio.decision:
        case Decision.SLOWER:
            return loses(run, case, ratio, wanted)
        case Decision.INCONCLUSIVE:
            return inconclusive(run, case, ratio, "custom against fallback")
        case Decision.NO_SLOWER:
            return None


def loses(run: Run, case: Case, ratio: Ratio, wanted: float | None) -> Said:
    kernel = run.kernels[case.kernel]
    if ratio.median > 1:
        what = f"is slower than the fallback {kernel.fallback}: {measured(ratio)}"
    else:
        speed_up = factor(1 / ratio.median)
        what = f"is {speed_up} as fast as the fallback {kernel.fallback}: {measured(ratio)}"
    asked = f"; the manifest asks for {factor(wanted)}, {decided(ratio)}" if wanted else f", {decided(ratio)}"
    return Said(
        sentence=f"{kernel.custom} on workload {case.workload} {what}{asked}",
        evidence=times(run, case, ratio),
        advice=f"Tune {kernel.custom} for this device, or let {kernel.dispatch} take the fallback on {case.workload}.",
    )


def not_timed(run: Run, case: Case) -> Said | None:
    """Where the fallback died in the timed loop, its own rule has said so; where it never answered, likewise."""
    failure = fallback_failure(run, case)
    if run.answered(FALLBACK, case) is None or (failure is not None and not not_here(failure)):
        return None
    why = f"in the timed loop it {happened(failure)}" if failure else "no launch timed it beside the custom path"
    taken = run.latency[case].launches
    again = "Run the same command again, which tries it anew" if failure else more_launches(len(taken)).rstrip(".")
    return Said(
        sentence=f"the fallback {run.kernels[case.kernel].fallback} could not be timed on workload {case.workload}: "
        f"{why}",
        advice=f"{again}; if the fallback is left out of every launch, run it alone on this workload.",
        undecided=True,
    )
