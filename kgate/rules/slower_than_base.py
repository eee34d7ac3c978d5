"""The custom path is slower than the base commit's, measured side by side in this run."""

from collections.abc import Iterable

from kgate.figures import change
from kgate.model import BASE, HEAD, Case, Decision, Finding, Level, Ratio, Run
from kgate.rules._law import Limit, Said, of_case
from kgate.rules._ratio import measured, spread_of, times
from kgate.rules._state import custom_right, proven_right

NAME = "slower-than-base"
DEFAULT = Level.FAIL
ON_CPU: Level | None = Level.NOTE
WANTS = "The custom path takes no longer than the base commit's, on the same GPU, in the same launches."
WHY = (
    "Many small losses are how a fast kernel dies. Both commits run alternately in this run, so another day's clock, "
    "driver or neighbour is no excuse and no accusation."
)
SATISFY = (
    "Profile head and base on the workload that the finding names, and win the time back. If it is the price of a fix "
    "or a feature, set `slower-than-base: warn` under `policy` in a change of its own, with the reason."
)


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    for case in run.cases:
        said = case_said(run, case) if custom_right(run, case) and proven_right(run, BASE, case) else None
        if said:
            yield of_case(run, limit, case, said)


def case_said(run: Run, case: Case) -> Said | None:
    """A base that is wrong is no rival, and a head without times is not-measured's: both were sorted out above."""
    latency = run.latency.get(case)
    if latency is None or HEAD.name not in latency.median_ns:
        return None
    ratio = latency.ratio(HEAD.name, BASE.name)
    if ratio is None:
        return not_timed(run, case)
    match ratio.decision:
        case Decision.SLOWER:
            return slower(run, case, ratio)
        case Decision.INCONCLUSIVE:
            return inconclusive(run, case, ratio)
        case Decision.NO_SLOWER:
            return None


def slower(run: Run, case: Case, ratio: Ratio) -> Said:
    function = run.kernels[case.kernel].custom
    return Said(
        sentence=f"{function} on workload {case.workload} is slower than at base: {measured(ratio)}",
        evidence=times(run, case, ratio),
        advice=f"Profile {function} here and at base on {case.workload}; look at tile sizes, loads and copies first.",
    )


def inconclusive(run: Run, case: Case, ratio: Ratio) -> Said:
    return Said(
        sentence=f"head against base on workload {case.workload} is inconclusive after {ratio.launches} launches: "
        f"{change(ratio.median)}, and {spread_of(ratio)}",
        evidence={"interval": measured(ratio), **times(run, case, ratio)},
        advice="Run again on an idle machine, or with more launches (`--launches`).",
        undecided=True,
    )


def not_timed(run: Run, case: Case) -> Said:
    return Said(
        sentence=f"base ran on workload {case.workload}, and no launch timed it beside head",
        advice="Run again; if base fails in the timed loop every time, look at base's custom path.",
        undecided=True,
    )
