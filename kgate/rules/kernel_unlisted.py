"""The code holds a kernel that the manifest does not know, or the manifest names code that is not there."""

from collections.abc import Iterable
from datetime import date

from kgate.model import Finding, Found, Kernel, Level, Run, Scope
from kgate.rules._law import Limit, Said, of_kernel

NAME = "kernel-unlisted"
DEFAULT = Level.FAIL
ON_CPU: Level | None = None
WANTS = "Every kernel in the code has an entry in the manifest, and every entry has its code."
WHY = (
    "A kernel without an entry is measured by nobody, owned by nobody, and cannot be switched off. Old ones are shown "
    "and block nobody; one that a change adds blocks that change, while its author still knows its shapes."
)
SATISFY = (
    "Add an entry whose `dispatch`, `custom` or `fallback` leads to it, or remove the kernel. One that no product "
    "calls goes under `ignore: [{path: …, reason: …, expires: YYYY-MM-DD}]`. Code is read, never imported: a kernel "
    "counts as listed where an entry reaches it by name. Tests are not looked at."
)


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    inventory = run.terms.inventory
    if inventory is None:
        return
    for kernel in run.kernels.values():
        missing = inventory.gone.get(kernel.name, "")
        # Where cases ran, does-not-run and fallback-missing have said it, with the error.
        if missing and not run.of_kernel(kernel.name):
            yield of_kernel(run, limit, kernel, without_code(kernel, missing))
    for found in inventory.found:
        said = None if found.listed else unlisted(found, limit.today)
        if said:
            yield of_found(level_of(run, limit), limit, found, said)


def said_by_others(run: Run, found: Finding, others: Iterable[Finding]) -> bool:
    """Whether it lost its entry in this change, and a finding that blocks as well says that an entry is gone."""
    before = run.terms.base_inventory
    if found.rule != NAME or before is None or not any(b.listed and b.identity == found.name for b in before.found):
        return False
    return any(other.blocks and other.rule == "gate-loosened" and other.name.endswith(" (entry)") for other in others)


def level_of(run: Run, limit: Limit) -> Level:
    """Without the code of a base nobody can tell what the change has added."""
    known = run.terms.base_inventory is not None
    return limit.level if known else min(limit.level, Level.WARN)


def without_code(kernel: Kernel, missing: str) -> Said:
    return Said(
        sentence=f"{kernel.name} names {missing}, which is not in the code any more",
        advice=f"Correct the entry of {kernel.name}, or remove it, which its owners approve.",
    )


def unlisted(found: Found, today: date) -> Said | None:
    sentence = f"{found.name} in {found.place} ({found.how}) has no entry in the manifest"
    advice = "Add an entry that leads to it, with owners and workloads, or an `ignore` line with a reason and a day."
    line = found.ignored
    if line is None:
        return Said(sentence=sentence, advice=advice)
    try:
        if today <= date.fromisoformat(line.expires):
            return None
    except ValueError:
        pass
    evidence = {"ignore": f"{line.place}: {line.pattern}, {line.reason}"}
    return Said(
        sentence=f"{sentence}, and was to be ignored until {line.expires} only", evidence=evidence, advice=advice
    )


def of_found(level: Level, limit: Limit, found: Found, said: Said) -> Finding:
    return Finding(
        rule=limit.rule,
        level=level,
        scope=Scope.KERNEL,
        name=found.identity,
        kernel=found.identity,
        sentence=said.sentence,
        advice=said.advice,
        evidence=said.evidence,
        owners=found.owners,
        place=found.place,
    )
