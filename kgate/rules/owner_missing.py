"""Nobody who could act answers for the kernel."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from kgate.model import Finding, Kernel, Level, Ownership, Run
from kgate.model.owners import is_owner
from kgate.rules._law import Limit, Said, of_kernel
from kgate.rules._owners import catch_all, lines, rule_of, shortened

NAME = "owner-missing"
DEFAULT = Level.FAIL
ON_CPU: Level | None = None
WANTS = "Each kernel names an owner in the manifest, or CODEOWNERS names one for every file of it."
WHY = "A kernel outlives its author's interest. Somebody has to say yes to a change, and be called when it breaks."
SATISFY = (
    'Write `owners: ["@org/team"]` in the kernel\'s entry, or add a CODEOWNERS line for its folder (a catch-all is '
    "not enough). A kernel left unowned on purpose says so: `unowned: {reason: …, expires: YYYY-MM-DD}`, and "
    "only warns until that day."
)


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    for kernel in run.kernels.values():
        ownership = run.ownership.get(kernel.name, Ownership(owners=kernel.owners))
        said = kernel_said(kernel, ownership, limit.today)
        if said:
            yield of_kernel(run, limit, kernel, said)
        elif on_purpose(kernel):
            warning = replace(limit, level=min(limit.level, Level.WARN))
            yield of_kernel(run, warning, kernel, without_owner(kernel))


def on_purpose(kernel: Kernel) -> bool:
    return bool(kernel.unowned_reason or kernel.unowned_expires) and not any(map(is_owner, kernel.owners))


def without_owner(kernel: Kernel) -> Said:
    """Accepted, and still said: whoever reads has to know that nobody will answer."""
    return Said(
        sentence=f"{kernel.name} is nobody's on purpose until {kernel.unowned_expires}: {kernel.unowned_reason}",
        advice="Name an owner before that day, or remove the kernel.",
    )


def kernel_said(kernel: Kernel, ownership: Ownership, today: date) -> Said | None:
    if any(map(is_owner, (*kernel.owners, *ownership.owners))):
        return None
    if on_purpose(kernel):
        return unowned_said(kernel, today)
    if kernel.owners:
        return Said(
            sentence=f"{kernel.name} names owners of an unknown form: {', '.join(kernel.owners)}",
            advice="Write a user as @name, a team as @org/team, or an e-mail address.",
        )
    return codeowners_said(kernel, ownership)


def unowned_said(kernel: Kernel, today: date) -> Said | None:
    """Deliberately unowned is accepted with a reason, until its date has passed."""
    advice = "Name an owner, or give `unowned` a reason and a date ahead, for review."
    if not kernel.unowned_reason.strip():
        return Said(sentence=f"{kernel.name} is unowned without a reason", advice=advice)
    try:
        expires = date.fromisoformat(kernel.unowned_expires)
    except ValueError:
        wrong = kernel.unowned_expires or "none"
        return Said(sentence=f"{kernel.name} is unowned without a date as YYYY-MM-DD (it says: {wrong})", advice=advice)
    if today <= expires:
        return None
    evidence = {"reason": kernel.unowned_reason}
    return Said(sentence=f"{kernel.name} was to be unowned until {expires} only", evidence=evidence, advice=advice)


def codeowners_said(kernel: Kernel, ownership: Ownership) -> Said | None:
    """No owner in the manifest: then every file of the kernel needs a CODEOWNERS rule that is more than a catch-all."""
    advice = f"Write `owners:` in the entry of {kernel.name}, or add a CODEOWNERS line for its files."
    if ownership.problem:
        return Said(sentence=f"{kernel.name} has no owner, and {ownership.problem}", advice=advice)
    if not ownership.codeowners:
        return Said(sentence=f"{kernel.name} has no owner in the manifest, and there is no CODEOWNERS", advice=advice)
    bare = sorted(path for path in ownership.files if not covered(ownership, path))
    if ownership.files and not bare:
        return None
    files = shortened(bare) or "none of its files is known"
    return Said(
        sentence=f"{kernel.name} has no owner in the manifest, and {ownership.codeowners} has none for: {files}",
        evidence=lines(ownership, bare),
        advice=advice,
    )


def covered(ownership: Ownership, path: str) -> bool:
    rule = rule_of(ownership, path)
    return rule is not None and not catch_all(rule[1]) and any(map(is_owner, rule[2]))
