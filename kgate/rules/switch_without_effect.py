"""The switch is turned and the same path goes on running."""

from collections.abc import Iterable
from dataclasses import replace

from kgate.model import HEAD, SWITCH_OFF, SWITCH_ON, Case, Drill, Finding, Kernel, Level, Run
from kgate.rules._drills import answers, conditions, of_drill, on_workloads
from kgate.rules._law import Limit, Said, of_case
from kgate.rules._state import reached

NAME = "switch-without-effect"
DEFAULT = Level.FAIL
ON_CPU: Level | None = None
LATER = "switch-off-later"
WATCHED = {"reached-custom", "reached-fallback"}
WANTS = "With the switch off the dispatch never reaches the custom function; with it on, it does."
WHY = (
    "A switch that is read too early, misspelt, or tested the wrong way round looks the same in review, and is needed "
    "exactly when nobody has time to find out."
)
SATISFY = (
    "Make the dispatch look at the switch before it chooses, at the time that the manifest's `read` says, and see that "
    "variable and values in the manifest are those of the code."
)


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    for case in run.cases:
        said = off_said(run, case) or on_said(run, case)
        if said:
            # The switch is the kernel's, so the line to look at is the kernel's too.
            yield replace(of_case(run, limit, case, said), place=run.kernels[case.kernel].place)
    for drill in conditions(run):
        if drill.condition == LATER and (said := later_said(run, drill)):
            yield of_drill(run, limit, drill, said)


def later_said(run: Run, drill: Drill) -> Said | None:
    """In a process that has begun with the switch on. Where it never has an effect, that is said above."""
    stuck = [
        c
        for c, _ in answers(run, drill)
        if reached(run, drill.arm, c, "custom") and not reached(run, SWITCH_OFF, c, "custom")
    ]
    if not stuck:
        return None
    kernel = run.kernels[drill.kernel]
    return Said(
        sentence=f"{kernel.dispatch} {drill.where} ({turned(kernel, 'fallback')}) still reaches {kernel.custom}, "
        f"{on_workloads(stuck)}, and the manifest says that the switch is read at every call",
        advice=f"Let {kernel.dispatch} read the switch at every call, or write `read: import` under `switch`, which "
        "promises that it counts when a process starts.",
    )


def off_said(run: Run, case: Case) -> Said | None:
    calls = reached(run, SWITCH_OFF, case, "custom")
    if not calls:
        return None
    kernel = run.kernels[case.kernel]
    return Said(
        sentence=f"{kernel.dispatch} with the switch off ({turned(kernel, 'fallback')}) still reaches {kernel.custom} "
        f"on workload {case.workload}",
        evidence={"calls of custom": str(calls), "calls of fallback": str(reached(run, SWITCH_OFF, case, "fallback"))},
        advice=advice_off(run, case, kernel),
    )


def advice_off(run: Run, case: Case, kernel: Kernel) -> str:
    """By what the other position does: nothing else, the same, or just what this one should."""
    if reached(run, SWITCH_ON, case, "custom"):
        return f"Neither value changes the path: {unread(kernel)}."
    if reached(run, SWITCH_ON, case, "fallback"):
        return (
            f"The two values look swapped: with {turned(kernel, 'custom')} it runs {kernel.fallback}. Exchange "
            f"`custom` and `fallback` under `switch` in {kernel.place.path}, or mend {kernel.dispatch}'s condition."
        )
    return f"Let {kernel.dispatch} read the switch before it chooses, and call {kernel.fallback} when it is off."


def on_said(run: Run, case: Case) -> Said | None:
    """A custom path that does not answer by itself may well be avoided by the dispatch: that is not the switch."""
    if run.answered(HEAD, case) is None or reached(run, SWITCH_ON, case, "custom"):
        return None
    kernel = run.kernels[case.kernel]
    calls = reached(run, SWITCH_ON, case, "fallback")
    if not calls:
        return neither_said(run, case, kernel)
    stuck = f"Neither value changes the path: {unread(kernel)}; or find"
    find = stuck if reached(run, SWITCH_OFF, case, "fallback") else "Find"
    return Said(
        sentence=f"{kernel.dispatch} with the switch on ({turned(kernel, 'custom')}) reaches only {kernel.fallback} "
        f"on workload {case.workload}",
        evidence={"calls of custom": "0", "calls of fallback": str(calls)},
        advice=f"{find} why {kernel.dispatch} turns the kernel down here: a condition on the device, or a silent "
        "except.",
    )


def neither_said(run: Run, case: Case, kernel: Kernel) -> Said | None:
    """Open, since a captured graph and an answer that was kept look the same as a kernel that is never called."""
    answer = run.answered(SWITCH_ON, case)
    if answer is None or not answer.facts.keys() >= WATCHED or run.idle(SWITCH_ON, case):
        return None
    return Said(
        sentence=f"{kernel.dispatch} with the switch on ({turned(kernel, 'custom')}) answers on workload "
        f"{case.workload} without calling {kernel.custom} or {kernel.fallback}",
        evidence={"calls of custom": "0", "calls of fallback": "0"},
        advice=f"Let {kernel.dispatch} call {kernel.custom} through its module, or name under `custom` what it really "
        "runs.",
        undecided=True,
    )


def unread(kernel: Kernel) -> str:
    """The commonest cause is a variable that the code calls otherwise."""
    name = kernel.switch.env if kernel.switch else ""
    if not name:
        return f"let {kernel.dispatch} read the switch each time before it chooses"
    return (
        f"check `switch.env` in {kernel.place.path} ({name}: does the code read this name?), or let {kernel.dispatch} "
        "read it before it chooses"
    )


def turned(kernel: Kernel, to: str) -> str:
    switch = kernel.switch
    if switch is None:
        return "none declared"
    value = switch.custom if to == "custom" else switch.fallback
    return f"{switch.env}={value}" if switch.env else f"{switch.context}({value!r})"
