"""The custom path is slow only now and then, which a median over calls and a trimmed mean over launches do not see."""

from collections.abc import Iterable

from kgate.figures import change, count
from kgate.model import BASE, FALLBACK, HEAD, Case, Finding, Level, Ratio, Run
from kgate.rules._law import Limit, Said, of_case
from kgate.rules._ratio import times
from kgate.rules._state import custom_right, proven_right

NAME = "unsteady"
DEFAULT = Level.WARN
ON_CPU: Level | None = Level.NOTE
WANTS = "The custom path takes as long in every launch and in nearly every call, where its rival does."
WHY = (
    "A latency verdict rests on medians and trimmed means, so that a burst of the machine blames nobody. A path that "
    "is slow by itself now and then would pass under them, and production would wait for it all the same."
)
SATISFY = (
    "Look for what differs between processes or calls: placement and alignment of buffers, an autotuner's pick, a "
    "cache that fills, atomics that contend, an allocation in the call."
)


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    for case in run.cases:
        ratio = rival(run, case) if custom_right(run, case) else None
        what = told(ratio) if ratio else ""
        if ratio and what:
            yield of_case(run, limit, case, said(run, case, ratio, what))


def rival(run: Run, case: Case) -> Ratio | None:
    """Against base where it is right, else against the fallback: what happens to both is the machine's doing."""
    latency = run.latency.get(case)
    if latency is None:
        return None
    base = latency.ratio(HEAD.name, BASE.name) if proven_right(run, BASE, case) else None
    return base or latency.ratio(HEAD.name, FALLBACK.name)


def told(ratio: Ratio) -> str:
    if ratio.slow_launches:
        launches = count(ratio.launches, "launch", "launches")
        return f"far slower in {ratio.slow_launches} of {launches} than in the others"
    if ratio.tail is not None:
        return f"slow in some calls: its 90th percentile is {change(ratio.tail)} of that of {ratio.below}"
    return ""


def said(run: Run, case: Case, ratio: Ratio, what: str) -> Said:
    function = run.kernels[case.kernel].custom
    return Said(
        sentence=f"{function} on workload {case.workload} is unsteady: {what}, with {ratio.below} beside it in the "
        f"same launches; its median is {change(ratio.median)}",
        evidence=times(run, case, ratio),
        advice=f"Run {function} in several processes on {case.workload} and compare what they allocate and compile.",
    )
