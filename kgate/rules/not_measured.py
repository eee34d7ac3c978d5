"""A case that was expected and about which nothing is known."""

from collections.abc import Iterable
from dataclasses import replace

from kgate.advice import reason_advice
from kgate.model import BASE, HEAD, REFERENCE, TIMED, Case, Finding, Level, Run
from kgate.rules._law import Limit, Said, of_case, of_run
from kgate.rules._state import OVER_BUDGET, custom_failure, custom_right, fallback_failure, happened, not_here, trace

NAME = "not-measured"
DEFAULT = Level.FAIL
ON_CPU: Level | None = None
WANTS = "Every expected case was run and compared, and timed where it has a weight and something to compute."
WHY = "Skipped, missing or unmeasured is never green: a gate that stays silent when it could not look is believed once."
SATISFY = (
    "See what kept the case from being measured: a package that the worker's interpreter lacks, an interrupted run, a "
    "reference that gives no answer. Run the same command again; it goes on where it stopped. Timed calls that were "
    "too large to be compared are a note, and block nothing."
)

VOID = (
    "Mend what is said of the times. If it is the machine's doing, wait until nobody else uses the device, take the "
    "run's ledger out of .kgate and run again."
)


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    if not run.cases and not run.carried:
        yield of_run(run, limit, nothing_ran(run))
    if run.drills_only:
        return
    if run.cases and all(failed_at_both(run, c) for c in run.cases):
        yield of_run(run, limit, nothing_answered(run))
    for case in run.cases:
        said = not_run(run, case) or not_compared(run, case) or not_timed(run, case)
        if said:
            yield of_case(run, limit, case, said)
        elif said := not_checked(run, case):
            # A note whatever the policy asks: the answer is right, only not shown to be so under the timer.
            yield of_case(run, replace(limit, level=Level(min(limit.level, Level.NOTE))), case, said)


def nothing_ran(run: Run) -> Said:
    return Said(
        sentence=f"no case ran at all: no workload of the manifest is meant for {run.device}",
        advice="Give a workload this device under `targets`, or run on a device that the manifest names.",
        undecided=True,
    )


def failed_at_both(run: Run, case: Case) -> bool:
    failure = run.failed(HEAD, case)
    return failure is not None and not not_here(failure) and run.failed(BASE, case) is not None


def nothing_answered(run: Run) -> Said:
    """Each failure alone is as old as base; all of them together leave nothing that could be called green."""
    return Said(
        sentence=f"none of {len(run.cases)} cases gave an answer, here or at base",
        advice="Mend what the findings below say of base as well; until then there is nothing to compare with.",
        undecided=True,
    )


def not_run(run: Run, case: Case) -> Said | None:
    failure = custom_failure(run, case)
    function = run.kernels[case.kernel].custom
    if failure is None and run.outcome(HEAD, case) is None:
        return Said(
            sentence=f"{function} on workload {case.workload} was not run",
            advice="Run the same command again; it goes on where it stopped.",
            undecided=True,
        )
    if failure is None or not not_here(failure):
        return None
    return Said(
        sentence=f"{function} on workload {case.workload} {happened(failure)}",
        evidence=trace(failure),
        advice=reason_advice(failure.reason, function),
        undecided=True,
    )


def not_compared(run: Run, case: Case) -> Said | None:
    """An answer that nothing was held against. Where the fallback failed, that finding is the cause and blocks."""
    if run.answered(HEAD, case) is None or run.comparisons.get((HEAD, case)):
        return None
    fallback = fallback_failure(run, case)
    if custom_failure(run, case) or (fallback is not None and not not_here(fallback)):
        return None
    failure = run.failed(REFERENCE, case)
    why = f"the reference {happened(failure)}" if failure else "there is no reference's answer"
    return Said(
        sentence=f"{run.kernels[case.kernel].custom} on workload {case.workload} was compared with nothing: {why}",
        advice=reason_advice("narrowed", ""),
        undecided=True,
    )


def not_timed(run: Run, case: Case) -> Said | None:
    latency = run.latency.get(case)
    if case in run.checked_only or not custom_right(run, case) or (latency and HEAD.name in latency.median_ns):
        return None
    why, advice = run.void.get(case, ""), VOID
    if case in run.over_budget:
        why, advice = "--budget was spent before", OVER_BUDGET
    return Said(
        sentence=f"{run.kernels[case.kernel].custom} on workload {case.workload} is right, and no launch timed it"
        + (f": {why}" if why else ""),
        advice=advice if why else "Run the same command again; it goes on where it stopped.",
        undecided=True,
    )


def not_checked(run: Run, case: Case) -> Said | None:
    """Timed, and no answer from the timed loop was held against the reference."""
    if case in run.checked_only or not custom_right(run, case) or run.comparisons.get((TIMED, case)):
        return None
    return Said(
        sentence=f"no timed call of {run.kernels[case.kernel].custom} on workload {case.workload} was compared: its "
        "output is too large to export from the timed loop, or the reference gave no answer for it",
        advice="Add a smaller workload of the same kind, so that timed calls are compared there.",
        undecided=True,
    )
