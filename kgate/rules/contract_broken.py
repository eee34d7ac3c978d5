"""Head's custom path answered in another form than promised: number, type, shape or dtype of outputs, or its inputs."""

from collections.abc import Iterable

from kgate.model import HEAD, TIMED, Case, Finding, Level, Run
from kgate.rules._difference import difference
from kgate.rules._law import Limit, Said, of_case
from kgate.rules._state import custom_failure, first_broken, happened, trace

NAME = "contract-broken"
DEFAULT = Level.FAIL
ON_CPU: Level | None = None
WANTS = "The custom path returns as many outputs as the fallback, of the same shape and dtype, and leaves inputs alone."
WHY = (
    "The caller was written for the fallback. An output of another dtype or shape is silently cast or broadcast "
    "further on, and a changed input spoils a later operator; neither shows in this kernel's own numbers."
)
SATISFY = (
    "Return what the fallback returns: same number, order, shapes and dtypes (cast back before returning). Name inputs "
    "that are changed on purpose under `mutates` in the manifest."
)


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    for case in run.cases:
        said = answer_said(run, case) or outputs_said(run, case) or inputs_said(run, case)
        if said:
            yield of_case(run, limit, case, said)


def answer_said(run: Run, case: Case) -> Said | None:
    failure = custom_failure(run, case)
    if failure is None or (failure.reason != "wrong-type" and failure.rung != "contract"):
        return None
    function = run.kernels[case.kernel].custom
    return Said(
        sentence=f"{function} on workload {case.workload} {happened(failure)}",
        evidence=trace(failure),
        advice=f"Return from {function} the tensors that the fallback returns, or name its outputs under `mutates`.",
    )


def outputs_said(run: Run, case: Case) -> Said | None:
    found = first_broken(run, (HEAD, TIMED), case)
    if found is None or not found[1].mismatch or custom_failure(run, case):
        return None
    kernel = run.kernels[case.kernel]
    return Said(
        sentence=f"{kernel.custom} on workload {case.workload}, {difference(found[1])}",
        advice=f"Return outputs in the number, shape and dtype of {kernel.fallback}; cast before returning.",
    )


def inputs_said(run: Run, case: Case) -> Said | None:
    answer = run.answered(HEAD, case)
    kernel = run.kernels[case.kernel]
    named = answer.facts.get("inputs-changed", ()) if answer else ()
    changed = [str(n) for n in named if n not in kernel.mutates] if isinstance(named, list | tuple) else []
    if not changed or first_broken(run, (HEAD, TIMED), case):
        return None
    return Said(
        sentence=f"{kernel.custom} on workload {case.workload} changes its input {', '.join(changed)}",
        advice=f"Work on a copy, or declare `mutates: [{', '.join(changed)}]` if the caller expects the change.",
    )
