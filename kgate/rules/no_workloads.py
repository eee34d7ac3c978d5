"""A kernel is listed, and nothing is tried on it."""

from collections.abc import Iterable

from kgate.model import Finding, Level, Run
from kgate.rules._law import Limit, Said, of_kernel

NAME = "no-workloads"
DEFAULT = Level.FAIL
ON_CPU: Level | None = None
WANTS = "Every kernel of the manifest has at least one workload."
WHY = "A kernel that nothing is tried on passes every check, which is worse than having no check: it looks measured."
SATISFY = (
    "Write the shapes that production runs under `workloads`, with weight and source; a test's shapes are better than "
    "none, and `source: test` says so."
)


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    for kernel in run.kernels.values():
        if not kernel.workloads:
            said = Said(
                sentence=f"{kernel.name} has no workload, so nothing of it is checked",
                advice=f"Add at least one workload to {kernel.name}.",
            )
            yield of_kernel(run, limit, kernel, said)
