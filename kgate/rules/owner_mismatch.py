"""The manifest names one owner, and GitHub asks another for review, or nobody."""

from collections.abc import Iterable
from dataclasses import replace

from kgate.figures import count
from kgate.model import Finding, Kernel, Level, Ownership, Run
from kgate.rules._law import Limit, Said, of_kernel
from kgate.rules._owners import lines, own_files, rule_of

NAME = "owner-mismatch"
DEFAULT = Level.WARN
ON_CPU: Level | None = None
WANTS = "For every file that a kernel is made of, CODEOWNERS asks one of the owners that the manifest names."
WHY = (
    "The manifest says who answers for a kernel, CODEOWNERS whose review GitHub asks for. Where they differ, a change "
    "to the kernel is waved through by somebody who will not be called when it breaks."
)
SATISFY = (
    "Add the manifest's owner to the CODEOWNERS line of the file (the last line that matches counts), or correct "
    "`owners`. Files that a kernel only imports, and that others own, are noted and no more."
)


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    for kernel in run.kernels.values():
        ownership = run.ownership.get(kernel.name)
        if ownership is None or not ownership.owners or not (ownership.codeowners or ownership.problem):
            continue
        if ownership.problem:
            yield of_kernel(run, limit, kernel, unread(kernel, ownership))
            continue
        astray = [path for path in ownership.files if not met(ownership, path)]
        own = set(own_files(kernel, ownership)) & set(astray)
        if astray:
            level = limit.level if own else min(limit.level, Level.NOTE)
            yield of_kernel(run, replace(limit, level=level), kernel, differing(kernel, ownership, astray, len(own)))


def met(ownership: Ownership, path: str) -> bool:
    """Whether GitHub asks an owner of the manifest's. By name, without regard to case, as GitHub takes names."""
    rule = rule_of(ownership, path)
    return rule is not None and bool({o.lower() for o in rule[2]} & {o.lower() for o in ownership.owners})


def unread(kernel: Kernel, ownership: Ownership) -> Said:
    return Said(
        sentence=f"nobody is asked to review {kernel.name}: {ownership.problem}",
        advice=f"Mend {ownership.codeowners or 'CODEOWNERS'}.",
    )


def differing(kernel: Kernel, ownership: Ownership, astray: list[str], own: int) -> Said:
    owners = ", ".join(ownership.owners)
    held = f"{count(own, 'holds', 'hold')} its functions" if own else "none holds its functions"
    return Said(
        sentence=(
            f"{kernel.name} is owned by {owners}, whom {ownership.codeowners} does not ask about "
            f"{count(len(astray), 'file')} of {len(ownership.files)}; {held}"
        ),
        evidence=lines(ownership, astray),
        advice=f"Add {owners} to the CODEOWNERS line of these files, or correct `owners` of {kernel.name}.",
    )
