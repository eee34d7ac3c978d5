"""The change asks less of itself than base asked, and no owner has said yes to that."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from kgate.model import Amendment, Finding, Level, Ownership, Run, Scope
from kgate.rules._law import Limit, Said, of_run

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
# By name of a finding behind its kernel's: what blames it better, where that blocks.
BETTER = {
    "(owners)": ("owner-missing",),
    "(code of fallback)": ("fallback-raises", "fallback-wrong"),
}
VERBS = {"loosened": "is loosened", "removed": "is removed", "moved": "is replaced"}


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    if run.terms.unheld:
        yield of_run(run, replace(limit, level=min(limit.level, Level.WARN)), unheld())
    for amendment in (*run.terms.amendments, *of_codeowners(run)):
        if amendment.wants_approval:
            yield finding(limit, amendment, run.terms.approvers(amendment))


def unheld() -> Said:
    return Said(
        sentence="base has no manifest, so this change is judged by limits of its own",
        advice="Let owners review the manifest; from the next change on it is base's.",
    )


def said_by_others(found: Finding, others: Iterable[Finding]) -> bool:
    """Whether a finding that blocks as well names best what the change has broken here: no owner, a bad fallback."""
    rules = BETTER.get(found.name.removeprefix(f"{found.kernel} "), ()) if found.rule == NAME else ()
    return any(other.blocks and other.rule in rules and other.kernel == found.kernel for other in others)


def finding(limit: Limit, amendment: Amendment, approved_by: tuple[str, ...]) -> Finding:
    """One for each value, so that an approval can be asked for each."""
    approved = bool(approved_by)
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
        still = {owner.lower() for owner in asked_for(after, before.files)}
        lost = [owner for owner in before.asked if owner.lower() not in still]
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
