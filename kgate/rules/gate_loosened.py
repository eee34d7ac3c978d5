"""The change asks less of itself than base asked, and no owner has said yes to that."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date

from kgate.model import FALLBACK, Amendment, Finding, Level, Ownership, Run, Scope
from kgate.rules import owner_missing
from kgate.rules._law import Limit, Said, of_run
from kgate.rules._state import fallback_failure, first_broken

NAME = "gate-loosened"
DEFAULT = Level.FAIL
ON_CPU: Level | None = None
WANTS = (
    "What a change is held to (limits, tolerances, workloads, owners, reference, fallback, baselines, levels of rules, "
    "debt) is no less than base held it to, or an owner has approved that it is."
)
WHY = (
    "A gate whose limits the change itself may edit is no gate: a tolerance that grows with the error, or a workload "
    "that goes when it gets slow, passes everything."
)
SATISFY = (
    "Let an owner, of those that base names, approve the change (`--approved-by NAME` on your own machine); then it "
    "warns. Until then base's values judge. What is added or tightened applies at once, and a rename is seen as one. "
    "What cannot be weighed, such as another signature, is judged as head has it and wants approval too."
)
ADVICE = "Ask an owner to approve it, or take it out of this change; `--approved-by NAME` shows what follows."
VERBS = {"loosened": "is loosened", "removed": "is removed", "moved": "is replaced"}


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    if run.terms.unheld:
        yield of_run(run, replace(limit, level=min(limit.level, Level.WARN)), unheld())
    for amendment in (*run.terms.amendments, *of_codeowners(run)):
        if amendment.wants_approval and not said_by_others(run, amendment, limit.today):
            yield finding(limit, amendment, run.terms.approved_by)


def unheld() -> Said:
    return Said(
        sentence="base has no manifest, so this change is judged by limits of its own",
        advice="Let owners review the manifest; from the next change on it is base's.",
    )


def said_by_others(run: Run, amendment: Amendment, today: date) -> bool:
    """Whether what the change has broken here is blamed by the rule that names it best: no owner, a bad fallback."""
    kernel = run.kernels.get(amendment.kernel)
    if kernel is None:
        return False
    if amendment.what == "owners":
        ownership = run.ownership.get(kernel.name, Ownership(owners=kernel.owners))
        return owner_missing.kernel_said(kernel, ownership, today) is not None
    if amendment.what == "code of fallback":
        cases = run.of_kernel(kernel.name)
        return any(fallback_failure(run, case) or first_broken(run, (FALLBACK,), case) for case in cases)
    return False


def finding(limit: Limit, amendment: Amendment, approved_by: tuple[str, ...]) -> Finding:
    """One for each value, so that an approval can be asked for each."""
    approved = amendment.approved(approved_by)
    by = f"; approved by {', '.join(approved_by)}" if approved else ""
    return Finding(
        rule=limit.rule,
        level=min(limit.level, Level.WARN) if approved else limit.level,
        scope=Scope.CASE if amendment.workload else Scope.KERNEL if amendment.kernel else Scope.RUN,
        name=amendment.name,
        kernel=amendment.kernel,
        sentence=f"{sentence(amendment)}{by}",
        advice="Nothing more: an owner has approved it." if approved else ADVICE,
        owners=amendment.owners,
        place=amendment.place,
    )


def sentence(amendment: Amendment) -> str:
    """`tolerance bfloat16 of gemm/small is loosened: rtol 0.016 → rtol 0.032`."""
    change = f"{amendment.before or 'none'} → {amendment.after or 'none'}"
    told = f": {change}" if amendment.before or amendment.after else ""
    return f"{amendment.what} of {amendment.subject} {VERBS[amendment.kind]}{told}"


def of_codeowners(run: Run) -> Iterator[Amendment]:
    """Kernels that CODEOWNERS alone gives owners, where it asks fewer of them than base's did for the same files."""
    for name, kernel in run.base_kernels.items():
        before, after = run.base_ownership.get(name), run.ownership.get(name)
        if kernel.owners or before is None or after is None:
            continue
        lost = [owner for owner in before.asked if owner not in asked_for(after, before.files)]
        if lost:
            yield Amendment(
                kind="removed",
                what="owners in CODEOWNERS",
                kernel=name,
                before=", ".join(before.asked),
                after=", ".join(after.asked),
                owners=before.asked,
                place=kernel.place,
            )


def asked_for(ownership: Ownership, files: Mapping[str, object]) -> set[str]:
    """Of files that moved away nothing is known: then whoever is asked for any file of the kernel counts."""
    same = {owner for path, rule in ownership.files.items() if rule and path in files for owner in rule[2]}
    return same or set(ownership.asked)
