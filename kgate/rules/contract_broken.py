"""Head's custom path answered in another form than promised, or touched what is not its own to touch."""

from collections.abc import Iterable

from kgate.advice import reason_advice
from kgate.model import HEAD, REPEATS, SWITCH_ON, Arm, Case, Finding, Level, Run
from kgate.rules._beside import promises
from kgate.rules._difference import difference
from kgate.rules._habits import beyond_said, habit_said
from kgate.rules._law import Limit, Said, of_case
from kgate.rules._state import ANSWERS, broken_by_dispatch, custom_failure, custom_right, first_broken, happened, trace

NAME = "contract-broken"
DEFAULT = Level.FAIL
ON_CPU: Level | None = None
WANTS = (
    "The custom path returns as many outputs as the fallback, of the same shape, dtype, device and strides (or in C "
    "order), in memory of their own; it leaves inputs alone, and all that lies beside them or that the process shares; "
    "and what `refuses` names ends as it says."
)
WHY = (
    "The caller was written for the fallback. An output of another dtype or shape is silently cast or broadcast "
    "further on, a changed input or setting spoils a later operator, and an output in borrowed memory changes under "
    "the caller's hands; none of it shows in this kernel's own numbers."
)
SATISFY = (
    "Return what the fallback returns: same number, order, shapes and dtypes (cast back before returning), allocated "
    "anew. Name inputs that are changed on purpose under `mutates` in the manifest."
)


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    for case in run.cases:
        said = custom_said(run, case) or dispatch_said(run, case)
        if said:
            yield of_case(run, limit, case, said)
    yield from promises(run, limit)


def custom_said(run: Run, case: Case) -> Said | None:
    if said := beyond_said(run, case):
        return said
    said = answer_said(run, case) or outputs_said(run, case) or inputs_said(run, case)
    # Wrong numbers say more of a kernel than what it does besides.
    quiet = said is not None or custom_failure(run, case) or first_broken(run, (*ANSWERS, REPEATS), case)
    return said if quiet else habit_said(run, case)


def answer_said(run: Run, case: Case) -> Said | None:
    failure = custom_failure(run, case)
    if failure is None or (failure.reason != "wrong-type" and failure.rung != "contract"):
        return None
    function = run.kernels[case.kernel].custom
    return Said(
        sentence=f"{function} on workload {case.workload} {happened(failure)}",
        evidence=trace(failure),
        advice=reason_advice("wrong-type", function),
    )


def outputs_said(run: Run, case: Case) -> Said | None:
    found = first_broken(run, ANSWERS, case)
    if found is None or not found[1].mismatch or custom_failure(run, case):
        return None
    kernel = run.kernels[case.kernel]
    return Said(
        sentence=f"{kernel.custom} on workload {case.workload}, {difference(found[1])}",
        advice=f"Return outputs in the number, shape and dtype of {kernel.fallback}; cast before returning.",
    )


def inputs_said(run: Run, case: Case) -> Said | None:
    changed = inputs_changed(run, HEAD, case)
    if not changed or first_broken(run, ANSWERS, case):
        return None
    return spoils(f"{run.kernels[case.kernel].custom} on workload {case.workload}", changed)


def dispatch_said(run: Run, case: Case) -> Said | None:
    """What the dispatch adds to a custom path that keeps its contract by itself."""
    kernel = run.kernels[case.kernel]
    where = f"{kernel.dispatch} with the switch on, on workload {case.workload},"
    comparison = broken_by_dispatch(run, case)
    if comparison is not None and comparison.mismatch:
        return Said(
            sentence=f"{where} answers in another form than {kernel.custom} by itself: {difference(comparison)}",
            advice=f"Return from {kernel.dispatch} what {kernel.custom} returns; do not cast or reshape it on the way.",
        )
    changed = inputs_changed(run, SWITCH_ON, case) if custom_right(run, case) and comparison is None else []
    return spoils(where, changed) if changed else None


def inputs_changed(run: Run, arm: Arm, case: Case) -> list[str]:
    """Names of changed inputs that the manifest does not declare, as the worker saw them."""
    answer = run.answered(arm, case)
    named = answer.facts.get("inputs-changed", ()) if answer else ()
    mutates = run.kernels[case.kernel].mutates
    return [str(n) for n in named if n not in mutates] if isinstance(named, list | tuple) else []


def spoils(who: str, changed: list[str]) -> Said:
    names = ", ".join(changed)
    return Said(
        sentence=f"{who} changes its input {names}",
        advice=f"Work on a copy, or declare `mutates: [{names}]` if the caller expects the change.",
    )
