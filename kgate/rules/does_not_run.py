"""Head's custom path gave no answer: it does not import, compile or run, or the product's call fails with it."""

from collections.abc import Iterable

from kgate.advice import WORKERS_PYTHON, reason_advice
from kgate.model import HEAD, SWITCH_ON, Case, Failure, Finding, Level, Run
from kgate.rules._habits import beyond_said
from kgate.rules._law import Limit, Said, of_case
from kgate.rules._state import NOT_HERE, alike, custom_failure, fallback_failure, happened, module_of, trace

NAME = "does-not-run"
DEFAULT = Level.FAIL
ON_CPU: Level | None = None
WANTS = "The custom path imports, compiles and answers every workload, called by itself and through the dispatch."
WHY = (
    "A kernel that raises, hangs or takes the process down does so in production as well, and there it takes the "
    "request with it. No number can be compared until it answers."
)
SATISFY = (
    "Run the case again with the command at the end of the report; the evidence holds the end of the traceback. Mend "
    "the module, function or kernel that it names, or take the workload out if production never sees it."
)
# A wrong type is a broken contract, and what is not here was not measured: rules of their own.
ELSEWHERE = (*NOT_HERE, "wrong-type", "narrowed")


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    for case in run.cases:
        failure = custom_failure(run, case)
        if failure is None:
            yield from through_dispatch(run, limit, case)
        # What touches memory that is not its own dies sooner or later, and the contract names the cause.
        elif failure.reason not in ELSEWHERE and failure.rung != "contract" and not beyond_said(run, case):
            yield of_case(run, limit, case, said(run, case, failure))


def said(run: Run, case: Case, failure: Failure) -> Said:
    function = run.kernels[case.kernel].custom
    evidence = trace(failure)
    if alike(failure, fallback_failure(run, case)):
        evidence["fallback"] = "fails in the same way, so there is no way out"
    if failure.reason == "import-failed":
        sentence = f"{module_of(function)} does not import under {interpreter(run)}: {last_line(failure)}"
    elif failure.reason == "function-missing":
        sentence = f"{function} is not there: {failure.text}"
    else:
        while_ = " in the timed loop" if failure.rung == "latency" else ""
        sentence = f"{function} on workload {case.workload}{while_} {happened(failure)}"
    advice = reason_advice(failure.reason, function, interpreter(run), failure.text)
    return Said(sentence=sentence, evidence=evidence, advice=advice)


def through_dispatch(run: Run, limit: Limit, case: Case) -> Iterable[Finding]:
    """The custom path answers by itself; the product's own call, with the switch on, has to as well."""
    failure = run.failed(SWITCH_ON, case)
    if failure is None or failure.reason in NOT_HERE or alike(failure, fallback_failure(run, case)):
        return
    dispatch = run.kernels[case.kernel].dispatch
    sentence = f"{dispatch} with the switch on, on workload {case.workload}, {happened(failure)}"
    if run.answered(HEAD, case) is not None:
        sentence += f"; {run.kernels[case.kernel].custom} by itself answers"
    advice = f"Call {dispatch} with the switch on and these arguments, and mend what it adds to the custom path."
    yield of_case(run, limit, case, Said(sentence=sentence, evidence=trace(failure), advice=advice))


def interpreter(run: Run) -> str:
    known = run.fingerprint.information
    return known.get("interpreter") or known.get("python") or WORKERS_PYTHON


def last_line(failure: Failure) -> str:
    lines = (failure.text or failure.detail).strip().splitlines()
    return lines[-1] if lines else "no message"
