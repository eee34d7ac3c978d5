"""What a rule is, and how one states what it found."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Protocol

from kgate.model import Case, Finding, Kernel, Level, Ownership, Run, Scope


@dataclass(frozen=True, kw_only=True)
class Limit:
    """How one rule is to be applied. `today` is UTC's, for what expires; `chosen`: the policy names this rule."""

    rule: str
    level: Level
    today: date
    chosen: bool = False


class RuleModule(Protocol):
    """The contract of a module in RULES; properties only because a module's constants are never written to."""

    @property
    def NAME(self) -> str: ...

    @property
    def DEFAULT(self) -> Level: ...

    @property
    def ON_CPU(self) -> Level | None:
        """The level on a CPU where the policy names none; None is DEFAULT."""

    @property
    def WANTS(self) -> str:
        """One sentence: what holds where this rule is silent."""

    @property
    def WHY(self) -> str: ...

    @property
    def SATISFY(self) -> str: ...

    def judge(self, run: Run, limit: Limit) -> Iterable[Finding]:
        """In the order of the run's kernels and cases; no findings where the rule is content."""


@dataclass(frozen=True, kw_only=True)
class Said:
    """What a rule says of one kernel or case. Nothing in it is escaped."""

    sentence: str
    advice: str
    evidence: Mapping[str, str] = field(default_factory=dict)
    undecided: bool = False


def of_case(run: Run, limit: Limit, case: Case, said: Said) -> Finding:
    kernel = run.kernels[case.kernel]
    workload = run.workload(case)
    return Finding(
        rule=limit.rule,
        level=limit.level,
        scope=Scope.CASE,
        name=stable_name(case),
        kernel=case.kernel,
        sentence=said.sentence,
        advice=said.advice,
        evidence=said.evidence,
        owners=owners_of(run, case.kernel),
        place=workload.place if workload else kernel.place,
        undecided=said.undecided,
    )


def of_kernel(run: Run, limit: Limit, kernel: Kernel, said: Said) -> Finding:
    return Finding(
        rule=limit.rule,
        level=limit.level,
        scope=Scope.KERNEL,
        name=kernel.name,
        kernel=kernel.name,
        sentence=said.sentence,
        advice=said.advice,
        evidence=said.evidence,
        owners=owners_of(run, kernel.name),
        place=kernel.place,
        undecided=said.undecided,
    )


def of_run(run: Run, limit: Limit, said: Said) -> Finding:
    """Whom to tell are the owners of all kernels: it is theirs as much as anybody's."""
    owners = dict.fromkeys(owner for kernel in run.kernels for owner in owners_of(run, kernel))
    return Finding(
        rule=limit.rule,
        level=limit.level,
        scope=Scope.RUN,
        name="run",
        kernel="",
        sentence=said.sentence,
        advice=said.advice,
        evidence=said.evidence,
        owners=tuple(owners),
        undecided=said.undecided,
    )


def stable_name(case: Case) -> str:
    """A case's name without its device: what findings, baselines and debt call it."""
    return case.stable_name


def owners_of(run: Run, kernel: str) -> tuple[str, ...]:
    """Those of the manifest; where it names none, whom CODEOWNERS asks for the kernel's files, else those of base."""
    ownership = run.ownership.get(kernel, Ownership(owners=()))
    named = run.kernels[kernel].owners if kernel in run.kernels else ()
    before = run.base_kernels[kernel].owners if kernel in run.base_kernels else ()
    return ownership.owners or named or ownership.asked or before
