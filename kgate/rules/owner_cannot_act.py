"""Whoever is named can not say yes to a change."""

from collections.abc import Iterable

from kgate.model import Finding, Kernel, Level, Ownership, Run
from kgate.rules._law import Limit, Said, of_kernel

NAME = "owner-cannot-act"
DEFAULT = Level.FAIL
ON_CPU: Level | None = None
WANTS = "At least one owner of each kernel can write to the repository."
WHY = "GitHub asks nobody for review who cannot write, so a kernel whose owners all left is without an owner."
SATISFY = (
    "Give an owner write access, or name one who has it. kgate does not ask GitHub for it: the report says `not "
    "checked`, and this rule is silent wherever nobody has checked."
)


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    for kernel in run.kernels.values():
        ownership = run.ownership.get(kernel.name)
        if ownership is not None and powerless(ownership):
            yield of_kernel(run, limit, kernel, told(kernel, ownership))


def powerless(ownership: Ownership) -> bool:
    """Whether every owner was checked and none can write; one who was not checked may be able to."""
    named = ownership.owners or ownership.asked
    return bool(named) and not any(ownership.access.get(owner, True) for owner in named)


def told(kernel: Kernel, ownership: Ownership) -> Said:
    named = ", ".join(ownership.owners or ownership.asked)
    return Said(
        sentence=f"no owner of {kernel.name} can write to the repository: {named}",
        advice=f"Give one of them write access, or name for {kernel.name} somebody who has it.",
    )
