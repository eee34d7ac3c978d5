"""The fallback, or the product's own call with the switch off, answers wrongly."""

from collections.abc import Iterable
from dataclasses import replace

from kgate.advice import rung_advice
from kgate.model import FALLBACK, FALLBACK_TIMED, SWITCH_OFF, Case, Comparison, Drill, Finding, Level, Run
from kgate.rules._difference import difference, numbers
from kgate.rules._drills import conditions, of_drill, wrong_without
from kgate.rules._law import Limit, Said, of_case
from kgate.rules._state import fallback_failure, first_broken, happened, proven_right, reached, trace

NAME = "fallback-wrong"
DEFAULT = Level.FAIL
ON_CPU: Level | None = None
ABSENT = "package-absent"
WANTS = (
    "The fallback, and the dispatch with the switch off and wherever the kernel cannot run, agree with the reference, "
    "in the form of base's fallback."
)
WHY = (
    "The switch is turned when the kernel is in doubt. If what runs then is wrong too, the incident goes on with "
    "everybody sure that it is over."
)
SATISFY = (
    "Compare the fallback with the reference at the index that the finding names. If the fallback is right and is the "
    "reference's model, look at what `reference` computes. A wrong type counts as a wrong answer."
)


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    for case in run.cases:
        said = type_said(run, case) or alone_said(run, case) or drill_said(run, case)
        if said:
            yield of_case(run, limit, case, said)
    for drill in conditions(run):
        if said := condition_said(run, drill):
            yield of_drill(run, limit, drill, said)


def condition_said(run: Run, drill: Drill) -> Said | None:
    broken = [c for c in drill.cases if first_broken(run, (drill.arm,), c) and not wrong_without(run, drill, c)]
    found = first_broken(run, (drill.arm,), broken[0]) if broken else None
    if found is None:
        return None
    dispatch = run.kernels[drill.kernel].dispatch
    said = wrong(f"{dispatch} {drill.where}", dispatch, broken[0], found[1])
    return replace(said, evidence={**said.evidence, "path": run.path_taken(drill.arm, broken[0])})


def type_said(run: Run, case: Case) -> Said | None:
    failure = fallback_failure(run, case)
    if failure is None or failure.reason != "wrong-type":
        return None
    function = run.kernels[case.kernel].fallback
    return Said(
        sentence=f"the fallback {function} on workload {case.workload} {happened(failure)}",
        evidence=trace(failure),
        advice=f"Return tensors from {function}, or name what it fills under `mutates`.",
    )


def alone_said(run: Run, case: Case) -> Said | None:
    found = first_broken(run, (FALLBACK, FALLBACK_TIMED), case)
    if found is None or fallback_failure(run, case):
        return None
    function = run.kernels[case.kernel].fallback
    if found[1].mismatch:
        return misshapen(run, case, found[1])
    said = wrong(f"the fallback {function}", function, case, found[1])
    return replace(said, evidence={**said.evidence, **absolved(run, case)})


def absolved(run: Run, case: Case) -> dict[str, str]:
    """Whether the dispatch is right where the package is not there, though nobody uses it: then importing it is why."""
    right = [d for d in run.drills_of(case.kernel) if d.condition == ABSENT and proven_right(run, d.arm, case)]
    return {right[0].where: "is right, so that importing it changes the fallback"} if right else {}


def misshapen(run: Run, case: Case, comparison: Comparison) -> Said:
    """Number, shape or dtype: held against base's fallback where base has the kernel, else against the reference."""
    function = run.kernels[case.kernel].fallback
    in_base = case.kernel in run.base_kernels and case not in run.not_in_base
    return Said(
        sentence=f"the fallback {function} on workload {case.workload} answers in another form than "
        f"{'at base' if in_base else 'the reference'}: {difference(comparison)}",
        advice=f"Return from {function} the number, shapes and dtypes that its callers were written for.",
    )


def drill_said(run: Run, case: Case) -> Said | None:
    """Only what the dispatch adds: not where the custom path still answered, nor where the fallback failed."""
    found = first_broken(run, (SWITCH_OFF,), case)
    if found is None or fallback_failure(run, case) or reached(run, SWITCH_OFF, case, "custom"):
        return None
    dispatch = run.kernels[case.kernel].dispatch
    return wrong(f"{dispatch} with the switch off", dispatch, case, found[1])


def wrong(who: str, function: str, case: Case, comparison: Comparison) -> Said:
    return Said(
        sentence=f"{who} on workload {case.workload} differs from the reference: {difference(comparison)}",
        evidence=numbers(comparison),
        advice=rung_advice("fallback", function),
    )
