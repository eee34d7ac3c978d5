"""The custom path goes another way: to the fallback, or to GPU kernels that the manifest does not declare."""

from collections.abc import Iterable
from fnmatch import fnmatchcase

from kgate.model import HEAD, Case, Finding, Level, Run
from kgate.rules._law import Limit, Said, of_case
from kgate.rules._state import custom_right

NAME = "path-not-taken"
DEFAULT = Level.FAIL
ON_CPU: Level | None = None
WANTS = (
    "The custom path does not call the fallback, and on a GPU at least one of its kernel launches matches "
    "`device_kernels`, unless an input or every output is empty."
)
WHY = "A custom path that gives up in silence and calls the framework passes every comparison and wins nothing."
SATISFY = (
    "Find why the custom path did not launch its kernel (a condition on shape or device; a swallowed exception). "
    "If the kernel was renamed, correct the patterns under `device_kernels`."
)
SHOWN = 6


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    for case in run.cases:
        said = path_said(run, case) if custom_right(run, case) else None
        if said:
            yield of_case(run, limit, case, said)


def path_said(run: Run, case: Case) -> Said | None:
    return gave_up(run, case) or (case_said(run, case) if run.on_gpu else None)


def gave_up(run: Run, case: Case) -> Said | None:
    """The product's own fallback answered, from within the custom path."""
    kernel, answer = run.kernels[case.kernel], run.answered(HEAD, case)
    calls = answer.facts.get("called-fallback", 0) if answer else 0
    if not calls or run.idle(HEAD, case):
        return None
    return Said(
        sentence=f"{kernel.custom} on workload {case.workload} calls the fallback {kernel.fallback}: what answers is "
        "not the kernel",
        evidence={"calls of the fallback in one call": str(calls)},
        advice=f"Find why {kernel.custom} gives up here (a swallowed exception, a condition on shape or dtype); leave "
        f"the choice to {kernel.dispatch}, and out of the manifest what the kernel is not for.",
    )


def case_said(run: Run, case: Case) -> Said | None:
    kernel = run.kernels[case.kernel]
    answer = run.answered(HEAD, case)
    seen = answer.facts.get("device-kernels") if answer else None
    if answer is None or not kernel.device_kernels or not isinstance(seen, list | tuple):
        return None
    if run.idle(HEAD, case):
        return None
    names = [str(name) for name in seen]
    if any(fnmatchcase(name, pattern) for name in names for pattern in kernel.device_kernels):
        return None
    wanted = ", ".join(kernel.device_kernels)
    return Said(
        sentence=f"{kernel.custom} on workload {case.workload} launched no kernel that matches {wanted}; it launched "
        f"{len(names)} others"
        if names
        else f"{kernel.custom} on workload {case.workload} launched no kernel at all",
        evidence={"launched": ", ".join(names[:SHOWN]) or "nothing", "declared": wanted},
        advice=f"Find the condition under which {kernel.custom} leaves its own kernel, or correct `device_kernels`.",
    )
