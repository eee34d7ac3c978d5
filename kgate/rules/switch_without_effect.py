"""The switch is turned and the same path goes on running."""

from collections.abc import Iterable

from kgate.model import HEAD, SWITCH_OFF, SWITCH_ON, Case, Finding, Kernel, Level, Run
from kgate.rules._law import Limit, Said, of_case
from kgate.rules._state import reached

NAME = "switch-without-effect"
DEFAULT = Level.FAIL
ON_CPU: Level | None = None
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
            yield of_case(run, limit, case, said)


def off_said(run: Run, case: Case) -> Said | None:
    calls = reached(run, SWITCH_OFF, case, "custom")
    if not calls:
        return None
    kernel = run.kernels[case.kernel]
    return Said(
        sentence=f"{kernel.dispatch} with the switch off ({turned(kernel, 'fallback')}) still reaches {kernel.custom} "
        f"on workload {case.workload}",
        evidence={"calls of custom": str(calls), "calls of fallback": str(reached(run, SWITCH_OFF, case, "fallback"))},
        advice=f"Let {kernel.dispatch} read the switch before it chooses, and call {kernel.fallback} when it is off.",
    )


def on_said(run: Run, case: Case) -> Said | None:
    """A custom path that does not answer by itself may well be avoided by the dispatch: that is not the switch."""
    if run.answered(HEAD, case) is None or reached(run, SWITCH_ON, case, "custom"):
        return None
    calls = reached(run, SWITCH_ON, case, "fallback")
    if not calls:
        return None
    kernel = run.kernels[case.kernel]
    return Said(
        sentence=f"{kernel.dispatch} with the switch on ({turned(kernel, 'custom')}) reaches only {kernel.fallback} "
        f"on workload {case.workload}",
        evidence={"calls of custom": "0", "calls of fallback": str(calls)},
        advice=f"Find why {kernel.dispatch} turns the kernel down here: a condition on the device, or a silent except.",
    )


def turned(kernel: Kernel, to: str) -> str:
    switch = kernel.switch
    if switch is None:
        return "none declared"
    value = switch.custom if to == "custom" else switch.fallback
    return f"{switch.env}={value}" if switch.env else f"{switch.context}({value!r})"
