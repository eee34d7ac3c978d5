"""The fallback, or the product's own call with the switch off, gives no answer."""

from collections.abc import Iterable

from kgate.model import SWITCH_OFF, Case, Failure, Finding, Level, Run
from kgate.rules import fallback_missing
from kgate.rules._law import Limit, Said, of_case
from kgate.rules._state import NOT_HERE, alike, custom_failure, fallback_failure, happened, trace

NAME = "fallback-raises"
DEFAULT = Level.FAIL
ON_CPU: Level | None = None
WANTS = "The fallback answers every workload, called by itself and through the dispatch with the switch off."
WHY = (
    "A fallback that has never been called on production's shapes is found out at night, by the person who has just "
    "switched the kernel off."
)
SATISFY = (
    "Call the fallback, then the dispatch with the switch off, on the workload that the finding names, and mend what "
    "raises. It must need nothing that only the kernel needs."
)
ELSEWHERE = (*NOT_HERE, *fallback_missing.REASONS, "wrong-type", "narrowed")


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    for case in run.cases:
        said = alone_said(run, case) or drill_said(run, case)
        if said:
            yield of_case(run, limit, case, said)


def alone_said(run: Run, case: Case) -> Said | None:
    failure = fallback_failure(run, case)
    if failure is None or failure.reason in ELSEWHERE or alike(failure, custom_failure(run, case)):
        return None
    function = run.kernels[case.kernel].fallback
    while_ = " in the timed loop" if failure.rung == "latency" else ""
    return Said(
        sentence=f"the fallback {function} on workload {case.workload}{while_} {happened(failure)}",
        evidence=trace(failure),
        advice=f"Call {function} on this workload and mend it: production runs it when the kernel is off.",
    )


def drill_said(run: Run, case: Case) -> Said | None:
    """The fallback works by itself, or was blamed already; what is left is what the dispatch adds."""
    failure = run.failed(SWITCH_OFF, case)
    if failure is None or failure.reason in NOT_HERE or blamed(run, case, failure):
        return None
    dispatch = run.kernels[case.kernel].dispatch
    return Said(
        sentence=f"{dispatch} with the switch off, on workload {case.workload}, {happened(failure)}",
        evidence=trace(failure),
        advice=f"Mend {dispatch}: with the switch off it has to answer by the fallback, without the kernel's packages.",
    )


def blamed(run: Run, case: Case, failure: Failure) -> bool:
    return fallback_failure(run, case) is not None or alike(failure, custom_failure(run, case))
