"""Head's custom path answers in the right form and with wrong numbers."""

from collections.abc import Iterable

from kgate.advice import rung_advice
from kgate.model import BASE, HEAD, SWITCH_ON, TIMED, Case, Comparison, Finding, Level, Run, of_base
from kgate.rules._difference import difference, numbers
from kgate.rules._law import Limit, Said, of_case
from kgate.rules._state import broken_by_dispatch, custom_failure, first_broken, proven_right

NAME = "wrong-result"
DEFAULT = Level.FAIL
ON_CPU: Level | None = None
WANTS = (
    "The custom path agrees with the float64 reference within its tolerance, in timed calls and through the dispatch."
)
WHY = (
    "A wrong kernel that looks fine is the worst that a kernel can be. The fallback's own error sets what is asked, so "
    "a kernel is never held to more than the path that it replaces."
)
SATISFY = (
    "Start at the place that the finding names: its index often tells the tile, tail or mask that is wrong. If the "
    "kernel is right and the tolerance is not, declare one per dtype under `tolerance` and say why in review."
)


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    for case in run.cases:
        said = custom_said(run, case) or dispatch_said(run, case)
        if said:
            yield of_case(run, limit, case, said)


def custom_said(run: Run, case: Case) -> Said | None:
    found = first_broken(run, (HEAD, TIMED), case)
    if found is None or found[1].mismatch or custom_failure(run, case):
        return None
    arm, comparison = found
    return wrong(run, case, comparison, "" if arm == HEAD else " in a timed call")


def dispatch_said(run: Run, case: Case) -> Said | None:
    """Wrong by what the dispatch adds to a custom path that is right by itself."""
    comparison = broken_by_dispatch(run, case)
    if comparison is None or comparison.mismatch:
        return None
    kernel = run.kernels[case.kernel]
    evidence = numbers(comparison)
    if proven_right(run, of_base(SWITCH_ON), case):
        evidence["base"] = "is right here"
    return Said(
        sentence=f"{kernel.dispatch} with the switch on, on workload {case.workload}, differs from the reference: "
        f"{difference(comparison)}; {kernel.custom} by itself is right",
        evidence=evidence,
        advice=f"Look at what {kernel.dispatch} does before and after it calls {kernel.custom}.",
    )


def wrong(run: Run, case: Case, comparison: Comparison, when: str) -> Said:
    kernel = run.kernels[case.kernel]
    evidence = numbers(comparison)
    if proven_right(run, BASE, case):
        evidence["base"] = "is right here"
    where = f"{kernel.custom} on workload {case.workload}{when}"
    return Said(
        sentence=f"{where} differs from the reference: {difference(comparison)}",
        evidence=evidence,
        advice=advice(kernel.custom, when),
    )


def advice(function: str, when: str) -> str:
    if when:
        return f"Look for state that {function} keeps between calls: a cached answer, a buffer used again, a race."
    return rung_advice("correctness", function)
