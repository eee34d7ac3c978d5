"""Nothing shows that the product can do without the kernel."""

from collections.abc import Iterable

from kgate.advice import reason_advice
from kgate.model import FALLBACK, HEAD, SWITCH_OFF, SWITCH_ON, Case, Drill, Failure, Finding, Kernel, Level, Run
from kgate.rules import fallback_missing, switch_without_effect
from kgate.rules._drills import conditions, hangs, of_drill, on_workloads
from kgate.rules._law import Limit, Said, of_case, of_kernel
from kgate.rules._state import custom_failure, fallback_failure, happened, not_here, reached

NAME = "fallback-untested"
DEFAULT = Level.FAIL
ON_CPU: Level | None = None
WANTS = (
    "On every workload, the dispatch with the switch off was run, reached the fallback, and its answer was compared; "
    "and every condition that the kernel can meet was drilled, with every dtype and option that its workloads use, and "
    "came about: a kernel that is not called cannot fail, and a package that nothing looks for cannot be missed."
)
WHY = "A fallback that no drill has run is a hope. Untested blocks, since the day it is needed is no day to test it."
SATISFY = (
    "Declare `switch` for the kernel (a variable, or a context manager), and let the dispatch call the fallback that "
    "the manifest names, through its module, so that the drill can see it. Where a condition did not come about, name "
    "under `custom` what the dispatch calls, and under `optional` what it imports."
)


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    for kernel in run.kernels.values():
        cases = run.of_kernel(kernel.name)
        if kernel.switch is None and cases:
            yield of_kernel(run, limit, kernel, no_switch(kernel))
            continue
        for case in cases:
            if said := case_said(run, case):
                yield of_case(run, limit, case, said)
    for drill in conditions(run):
        if said := condition_said(run, drill) or unmet_said(run, drill):
            yield of_drill(run, limit, drill, said)


def condition_said(run: Run, drill: Drill) -> Said | None:
    """A condition that could not be brought about, or a drill that was not run. Its failure was a test all the same."""
    untested = [
        case
        for case in drill.cases
        if run.answered(drill.arm, case) is None
        and not blamed(run, case)
        and (run.outcome(drill.arm, case) is None or not_here(run.failed(drill.arm, case)))
    ]
    if not untested:
        return None
    failure = run.failed(drill.arm, untested[0])
    dispatch = run.kernels[drill.kernel].dispatch
    return Said(
        sentence=f"{dispatch} {drill.where} was not drilled, {on_workloads(untested)}: "
        f"{failure.text or happened(failure) if failure else 'it was not run'}",
        advice="Run the same command where the drill can run; `kgate drill` runs nothing else.",
        undecided=True,
    )


def unmet_said(run: Run, drill: Drill) -> Said | None:
    """The call was answered, and nothing of the condition came to it: whatever the answer is, it was no test."""
    unmet = {
        case: why
        for case in drill.cases
        if (why := run.unmet(drill, case)) and not blamed(run, case) and not switch_without_effect.on_said(run, case)
    }
    if not unmet:
        return None
    first, *_ = unmet
    kernel, missing = run.kernels[drill.kernel], without_condition(run, first)
    return Said(
        sentence=f"{kernel.dispatch} {drill.where} was not drilled, {on_workloads(list(unmet))}: {unmet[first]}",
        evidence={"without any condition": f"it {happened(missing)}"} if missing else {},
        advice=advice_unmet(kernel, called=reached(run, drill.arm, first, "custom") > 0, missing=missing),
        undecided=missing is not None,
    )


def advice_unmet(kernel: Kernel, *, called: bool, missing: Failure | None) -> str:
    if missing is not None:
        return reason_advice(missing.reason, kernel.custom)
    if called:
        return f"Name under `optional` what {kernel.dispatch} can lack, spelt as in its imports."
    return (
        f"Find why {kernel.dispatch} does not come to {kernel.custom} here, or name under `custom` what it calls: what "
        "is never called cannot fail."
    )


def blamed(run: Run, case: Case) -> bool:
    """Whether it is said elsewhere that nothing can be drilled; `kgate drill` does not say so of what is missing."""
    failure = without_condition(run, case)
    return hangs(run, case) or (failure is not None and not (run.drills_only and not_here(failure)))


def without_condition(run: Run, case: Case) -> Failure | None:
    return run.failed(SWITCH_ON, case) or custom_failure(run, case)


def no_switch(kernel: Kernel) -> Said:
    example = 'switch: {env: NAME, custom: "1", fallback: "0"}'
    return Said(
        sentence=f"{kernel.name} declares no switch: nobody can turn {kernel.custom} off, and what {kernel.dispatch} "
        "answers then is untested",
        advice=f"Give {kernel.dispatch} a switch and declare it: `{example}`.",
    )


def case_said(run: Run, case: Case) -> Said | None:
    if not_started(run, case) or fallback_gone(run, case):
        return None
    if run.answered(SWITCH_OFF, case) is None:
        return not_run(run, case)
    if reached(run, SWITCH_OFF, case, "custom"):
        return None
    if not seen(run, case):
        return not_seen(run, case)
    if not reached(run, SWITCH_OFF, case, "fallback"):
        return not_reached(run, case)
    return not_compared(run, case)


def not_started(run: Run, case: Case) -> bool:
    """Not measured at all, which another rule says."""
    if run.drills_only:
        return run.outcome(FALLBACK, case) is None
    return run.outcome(HEAD, case) is None or not_here(custom_failure(run, case))


def fallback_gone(run: Run, case: Case) -> bool:
    """Nothing can reach a function that is not there, and fallback-missing has said so."""
    failure = fallback_failure(run, case)
    return failure is not None and failure.reason in fallback_missing.REASONS


def not_run(run: Run, case: Case) -> Said | None:
    """A drill that failed was a test, and fallback-raises has said so; one that could not start was none."""
    failure = run.failed(SWITCH_OFF, case)
    if failure is not None and not not_here(failure):
        return None
    # No drill is run where the fallback itself failed, and its own rule has said so.
    if failure is None and fallback_failure(run, case) and not not_here(fallback_failure(run, case)):
        return None
    why = happened(failure) if failure else "was not run"
    kernel = run.kernels[case.kernel]
    return Said(
        sentence=f"the drill of {kernel.dispatch} with the switch off {why}, on workload {case.workload}",
        advice="Run the same command where the drill can run; `--dry-run` shows what is planned.",
        undecided=True,
    )


def seen(run: Run, case: Case) -> bool:
    """Whether the worker could tell which function a call reaches: a built-in, for one, cannot be watched."""
    answer = run.answered(SWITCH_OFF, case)
    return answer is not None and "reached-fallback" in answer.facts


def not_seen(run: Run, case: Case) -> Said:
    kernel = run.kernels[case.kernel]
    answer = run.answered(SWITCH_OFF, case)
    note = answer.facts.get("note") if answer else None
    return Said(
        sentence=f"{kernel.dispatch} with the switch off answers on workload {case.workload}, and whether it called "
        f"{kernel.fallback} could not be seen",
        evidence={"note": str(note)} if note else {},
        advice="Name under `custom` and `fallback` two plain Python functions, whose calls can be seen.",
        undecided=True,
    )


def not_reached(run: Run, case: Case) -> Said:
    kernel = run.kernels[case.kernel]
    return Said(
        sentence=f"{kernel.dispatch} with the switch off answers on workload {case.workload} without calling "
        f"{kernel.fallback}",
        evidence={"calls of custom": "0", "calls of fallback": "0"},
        advice=f"Let {kernel.dispatch} call {kernel.fallback} through its module, or name under `fallback` what it "
        "really runs.",
    )


def not_compared(run: Run, case: Case) -> Said | None:
    others_were = run.drills_only or run.comparisons.get((HEAD, case))
    if run.comparisons.get((SWITCH_OFF, case)) or not others_were:
        return None
    return Said(
        sentence=f"the answer of {run.kernels[case.kernel].dispatch} with the switch off was compared with nothing, on "
        f"workload {case.workload}",
        advice="Delete `.kgate` and run the same command; if this stays, report it as a fault of kgate's.",
        undecided=True,
    )
