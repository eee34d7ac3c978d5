"""The kernels that ran on the GPU are not those that the manifest declares."""

from collections.abc import Iterable
from fnmatch import fnmatchcase

from kgate.model import HEAD, Case, Finding, Level, Run
from kgate.rules._law import Limit, Said, of_case
from kgate.rules._state import custom_right

NAME = "path-not-taken"
DEFAULT = Level.FAIL
ON_CPU: Level | None = None
WANTS = (
    "On a GPU, at least one kernel launch of the custom path matches `device_kernels`, unless an input or every output "
    "is empty."
)
WHY = "A custom path that gives up in silence and calls the framework passes every comparison and wins nothing."
SATISFY = (
    "Find why the custom path did not launch its kernel (a condition on shape or device; a swallowed exception). "
    "If the kernel was renamed, correct the patterns under `device_kernels`."
)
SHOWN = 6


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    for case in run.cases if run.on_gpu else ():
        said = case_said(run, case) if custom_right(run, case) else None
        if said:
            yield of_case(run, limit, case, said)


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
