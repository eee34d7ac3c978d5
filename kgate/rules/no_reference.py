"""There is no truth to compare with: the reference failed, or was computed in a lower precision."""

from collections.abc import Iterable

from kgate.model import REFERENCE, Case, Failure, Finding, Level, Run
from kgate.rules._law import Limit, Said, of_case
from kgate.rules._state import alike, custom_failure, fallback_failure, happened, trace

NAME = "no-reference"
DEFAULT = Level.WARN
ON_CPU: Level | None = None
WANTS = "Every workload has a reference that answers: the fallback on inputs widened to float64, or `reference:`."
WHY = (
    "Two low-precision paths that agree may both be wrong, and two that differ do not say which one is. Only a slower, "
    "more exact answer gives the blame to the right one."
)
SATISFY = (
    "Write a slow, plain function of the same arguments in float64 and name it under `reference: module:function`. "
    "It needs no speed and no GPU kernels."
)


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    for case in run.cases:
        failure = run.failed(REFERENCE, case)
        if failure is not None and not said_elsewhere(run, case, failure):
            yield of_case(run, limit, case, said(run, case, failure))


def said_elsewhere(run: Run, case: Case, failure: Failure) -> bool:
    """Without `reference`, the reference is the fallback; and what no module imports with is told once."""
    return alike(failure, fallback_failure(run, case)) or alike(failure, custom_failure(run, case))


def said(run: Run, case: Case, failure: Failure) -> Said:
    kernel = run.kernels[case.kernel]
    if failure.reason == "narrowed":
        sentence = (
            f"{kernel.fallback} on float64 inputs falls back to a lower precision on workload {case.workload} "
            f"({failure.text.partition(';')[0]}), so `reference:` is required"
        )
        advice = f"Write the truth of {kernel.name} as a plain float64 function and name it under `reference:`."
        return Said(sentence=sentence, advice=advice, evidence=trace(failure))
    who = f"the reference {kernel.reference}" if kernel.reference else f"the reference (float64 {kernel.fallback})"
    gone = fallback_failure(run, case) is not None and not kernel.reference
    return Said(
        sentence=f"{who} on workload {case.workload} {happened(failure)}",
        evidence=trace(failure),
        advice="Mend the fallback, which is the reference as well, or name a `reference:` of its own."
        if gone
        else "Mend the reference, or name under `reference:` a function that answers this workload.",
    )
