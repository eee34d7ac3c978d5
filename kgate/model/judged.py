"""A whole run as the rules see it, and what is said of it: findings, verdict, report."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from kgate.errors import ExitCode
from kgate.model.calibrated import Standing
from kgate.model.declared import Kernel, Level, Place, Workload
from kgate.model.drilled import Drill, unmet
from kgate.model.held import Ownership, Terms
from kgate.model.measured import Baseline, Fingerprint, Instrument, Latency, Ratio, Shift
from kgate.model.observed import (
    BASE,
    HEAD,
    SWITCH_ON,
    Arm,
    Case,
    Comparison,
    Failure,
    Measurement,
    Outcome,
    Variant,
)
from kgate.model.proven import Carried


@dataclass(frozen=True, kw_only=True)
class Run:
    """
    Everything observed. Rules read this and nothing else.

    Keys of `outcomes` and `comparisons` are (arm, case). A case that is expected and has no outcome was not measured.
    """

    kernels: Mapping[str, Kernel]
    cases: tuple[Case, ...]
    device: str
    on_gpu: bool
    outcomes: Mapping[tuple[Arm, Case], Outcome]
    comparisons: Mapping[tuple[Arm, Case], tuple[Comparison, ...]]
    latency: Mapping[Case, Latency]
    ownership: Mapping[str, Ownership]
    base_ownership: Mapping[str, Ownership]
    base_kernels: Mapping[str, Kernel]
    paces: Mapping[str, tuple[Ratio, ...]] = field(default_factory=dict)  # by kernel: the mean over its workloads
    shift: Shift | None = None
    standing: Standing = field(default_factory=Standing)
    instrument: Instrument | None = None  # None: nothing was timed
    baseline: Baseline | None = None
    fingerprint: Fingerprint = field(default_factory=lambda: Fingerprint(must_match={}))
    void: Mapping[Case, str] = field(default_factory=dict)  # why a launch had no times of it though nothing failed
    checked_only: frozenset[Case] = frozenset()  # not timed on purpose: of weight 0, or with nothing to compute
    over_budget: frozenset[Case] = frozenset()  # left without a verdict on their times by --budget
    base_ran: bool = False  # a base commit was there to be run; what its arms did is in outcomes
    not_in_base: frozenset[Case] = frozenset()  # base is not asked on purpose: new kernel, changed signature
    drills: tuple[Drill, ...] = ()  # every condition for every kernel, by kernel
    drills_only: bool = False  # nothing but the way out was asked for
    variants: Mapping[Case, Variant] = field(default_factory=dict)  # asked besides; in outcomes and comparisons as well
    terms: Terms = field(default_factory=Terms)
    carried: Mapping[Case, Carried] = field(default_factory=dict)  # not among `cases`: an earlier run has proved them
    remarks: tuple[str, ...] = ()  # what a reader must know of the run: dirty tree, no base, sandbox

    @property
    def untouched(self) -> bool:
        """Nothing gated has changed: each case has loaded the same files at both commits, or is carried."""
        measured = [(self.answered(HEAD, case), self.answered(BASE, case)) for case in self.cases]
        return self.kernels == self.base_kernels and all(
            head is not None
            and base is not None
            and bool(head.facts.get("loaded-files"))
            and head.facts.get("loaded-files") == base.facts.get("loaded-files")
            for head, base in measured
        )

    def of_kernel(self, name: str) -> tuple[Case, ...]:
        return tuple(c for c in self.cases if c.kernel == name)

    def drills_of(self, kernel: str) -> tuple[Drill, ...]:
        return tuple(d for d in self.drills if d.kernel == kernel)

    def outcome(self, arm: Arm, case: Case) -> Outcome | None:
        return self.outcomes.get((arm, case))

    def answered(self, arm: Arm, case: Case) -> Measurement | None:
        outcome = self.outcomes.get((arm, case))
        return outcome if isinstance(outcome, Measurement) else None

    def workload(self, case: Case) -> Workload | None:
        """As head declares it; None if it is not there any more."""
        return next((w for w in self.kernels[case.kernel].workloads if w.name == case.workload), None)

    def idle(self, arm: Arm, case: Case) -> bool:
        """Whether the arm had nothing to compute that takes a kernel: an argument, or all it answered, is empty."""
        answer, workload = self.answered(arm, case), self.workload(case)
        return (answer is not None and answer.empty) or (workload is not None and workload.empty)

    def path_taken(self, arm: Arm, case: Case) -> str:
        """Of a drill, by the calls that its worker has counted; a path that was tried and raised is named as well."""
        answer = self.answered(arm, case)
        paths = [role for role in ("custom", "fallback") if answer and answer.facts.get(f"reached-{role}")]
        return ", then ".join(paths) or "neither"

    def unmet(self, drill: Drill, case: Case) -> str:
        """Why its condition did not come about, as a clause; "" if it did, and where there is no answer."""
        answer = self.answered(drill.arm, case)
        return unmet(answer, self.outcome(SWITCH_ON, case)) if answer else ""

    def failed(self, arm: Arm, case: Case) -> Failure | None:
        outcome = self.outcomes.get((arm, case))
        return outcome if isinstance(outcome, Failure) else None


class Scope(str, Enum):
    RUN = "run"
    KERNEL = "kernel"
    CASE = "case"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """
    One rule's statement. `undecided` says that the rule could not find out: at level fail that is no-verdict, not fail.

    Identity (rule, scope, name) is stable between runs; `name` is a kernel's, a case's without device, or "run"; of a
    kernel under a condition it is a Drill's.
    `sentence`, `evidence` values and `advice` may quote what a repository or a worker said: renderers escape them.
    """

    rule: str
    level: Level
    scope: Scope
    name: str
    kernel: str
    sentence: str
    advice: str
    evidence: Mapping[str, str] = field(default_factory=dict)
    owners: tuple[str, ...] = ()
    place: Place | None = None
    undecided: bool = False
    pre_existing: bool = False

    @property
    def identity(self) -> tuple[str, str, str]:
        return (self.rule, self.scope.value, self.name)

    @property
    def blocks(self) -> bool:
        return self.level is Level.FAIL and not self.pre_existing


class Verdict(str, Enum):
    """In the order of the table of verdicts: fail > no-verdict > warn > pass."""

    FAIL = "fail"
    NO_VERDICT = "no-verdict"
    WARN = "warn"
    PASS = "pass"

    @property
    def exit_code(self) -> ExitCode:
        return {"fail": ExitCode.FAIL, "no-verdict": ExitCode.NO_VERDICT}.get(self.value, ExitCode.GREEN)


def verdict_of(findings: tuple[Finding, ...]) -> Verdict:
    blocking = [f for f in findings if f.blocks]
    if any(not f.undecided for f in blocking):
        return Verdict.FAIL
    if blocking:
        return Verdict.NO_VERDICT
    # A fault that base has too is shown as a warning: somebody has to see it, nobody has to be stopped by it.
    warns = any(f.level is Level.WARN or (f.level is Level.FAIL and f.pre_existing) for f in findings)
    return Verdict.WARN if warns else Verdict.PASS


@dataclass(frozen=True, kw_only=True)
class Report:
    """The whole truth of a run; every format is a view of it."""

    version: str
    verdict: Verdict
    findings: tuple[Finding, ...]  # worst first
    run: Run
    manifest: str
    head: str  # commit, with "+dirty" where the work tree differs
    base: str  # commit, or "" with the reason among the remarks
    started: str  # UTC, ISO 8601
    wall_s: float
    cost_s: Mapping[str, float]  # where the time went: build, outputs, timing, waiting …
    command: str  # what to type to get this again
    sandbox: str = "none"
    resumed: int = 0  # outcomes taken from the ledger of an earlier, interrupted run
    key: str = ""  # of the ledger: equal where trees, manifest, choice, fingerprint and kgate are
    attempts: int = 1  # runs of this key whose launches are pooled here


@dataclass(frozen=True, kw_only=True)
class Event:
    """
    A line of `--stream`. Stable names: run-started, rung-ended, look-started, launch-ended, case-ended, note, finding,
    run-ended.
    """

    name: str
    fields: Mapping[str, Any]
