"""
The fallback, or the product's own call where the kernel is off or cannot run, gives no answer.

Blocks by default, since a crash is no way out. Where the kernel fails only within its call, it warns: to let such an
error through, and to turn the switch, is a choice that a product may make.
"""

from collections.abc import Iterable, Mapping

from kgate.advice import reason_advice
from kgate.model import SWITCH_OFF, Case, Drill, Failure, Finding, Kernel, Level, Run
from kgate.rules import fallback_missing
from kgate.rules._drills import conditions, failures, of_drill, on_workloads, softened
from kgate.rules._law import Limit, Said, of_case
from kgate.rules._state import NOT_HERE, alike, custom_failure, fallback_failure, happened, trace, uncompared

NAME = "fallback-raises"
DEFAULT = Level.FAIL
ON_CPU: Level | None = None
WANTS = (
    "The fallback answers every workload, called by itself and through the dispatch, with the switch off and wherever "
    "the kernel cannot run."
)
WHY = (
    "A fallback that has never been called on production's shapes is found out at night, by the person who has just "
    "switched the kernel off, or on the first machine that lacks the kernel's package."
)
SATISFY = (
    "Call the fallback, then the dispatch with the switch off, on the workload that the finding names, and mend what "
    "raises. It must need nothing that only the kernel needs: import the kernel's package where it is called, catch "
    "every exception that importing it may raise, and take the fallback. Where the kernel fails within its call this "
    "is a warning, unless the policy names the rule."
)
LOST = ("hung", "died", "exited")  # with its process
ELSEWHERE = (*NOT_HERE, *fallback_missing.REASONS, "wrong-type", "narrowed")


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    for case in run.cases:
        said = alone_said(run, case) or drill_said(run, case)
        if said:
            yield of_case(run, limit, case, said)
    for drill in conditions(run):
        if failed := dict(failures(run, drill)):
            worst = next((f for f in failed.values() if f.rung == "import"), next(iter(failed.values())))
            yield of_drill(run, softened(limit, drill, worst), drill, condition_said(run, drill, failed))


def condition_said(run: Run, drill: Drill, failed: Mapping[Case, Failure]) -> Said:
    first, *_ = failed
    dispatch = run.kernels[drill.kernel].dispatch
    return Said(
        sentence=f"{dispatch} {drill.where}, {on_workloads(list(failed))}, {happened(failed[first])}",
        evidence=trace(failed[first]),
        advice=condition_advice(run.kernels[drill.kernel], failed[first]),
    )


def condition_advice(kernel: Kernel, failure: Failure) -> str:
    if failure.rung == "import":
        return (
            f"Let {kernel.dispatch.partition(':')[0]} be imported there: ask for package and GPU when "
            f"{kernel.dispatch} is called, and answer by {kernel.fallback} where they are not there."
        )
    if failure.reason in LOST:
        return reason_advice(failure.reason, kernel.dispatch)
    return f"Let {kernel.dispatch} answer by {kernel.fallback} there, and log one line."


def alone_said(run: Run, case: Case) -> Said | None:
    failure = fallback_failure(run, case)
    if failure is None or failure.reason in ELSEWHERE or alike(failure, custom_failure(run, case)):
        return None
    function = run.kernels[case.kernel].fallback
    while_ = " in the timed loop" if failure.rung == "latency" else ""
    return Said(
        sentence=f"the fallback {function} on workload {case.workload}{while_} {happened(failure)}",
        evidence={**trace(failure), **uncompared(run, case)},
        advice=alone_advice(run.kernels[case.kernel], failure),
    )


def alone_advice(kernel: Kernel, failure: Failure) -> str:
    if failure.reason == "wrong-signature":
        return (
            f"Name under `fallback` a function that takes what {kernel.dispatch} takes, as `args` of the manifest "
            f"lists it; where {kernel.fallback} is right as it is, a wrapper of one line will do."
        )
    if failure.reason in LOST:
        return reason_advice(failure.reason, kernel.fallback)
    return f"Call {kernel.fallback} on this workload and mend it: production runs it when the kernel is off."


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
