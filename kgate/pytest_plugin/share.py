"""Which of a report's findings is whose: a case's items share what is said of it, and each says its own part."""

from collections.abc import Mapping
from dataclasses import dataclass

from kgate.model import Case, Finding, Level, Report, Scope

CORRECTNESS, FALLBACK, LATENCY, OWNERS = "correctness", "fallback", "latency", "owners"
ASPECTS = (CORRECTNESS, FALLBACK, LATENCY)  # of a case; owners are a kernel's
# What is not named here is about correctness.
ASPECT_OF: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "fallback-missing",
            "fallback-wrong",
            "fallback-untested",
            "fallback-raises",
            "fallback-silent",
            "fallback-latched",
            "switch-without-effect",
        ),
        FALLBACK,
    ),
    **dict.fromkeys(
        (
            "slower-than-base",
            "slower-than-fallback",
            "slower-than-baseline",
            "unsteady",
            "instrument-failed",
            "not-tuned-here",
            "no-baseline",
        ),
        LATENCY,
    ),
    **dict.fromkeys(
        (
            "owner-missing",
            "owner-mismatch",
            "owner-cannot-act",
            "kernel-unlisted",
            "no-workloads",
            "gate-loosened",
            "evidence-missing",
            "debt-expired",
        ),
        OWNERS,
    ),
}


@dataclass(frozen=True, kw_only=True)
class Share:
    """What one item has to say. `left_out` is why nothing was asked, though nothing is wrong; `unknown`, why it is."""

    failing: tuple[Finding, ...] = ()
    undecided: tuple[Finding, ...] = ()
    warning: tuple[Finding, ...] = ()
    notes: tuple[Finding, ...] = ()
    left_out: str = ""
    unknown: str = ""


def share(report: Report, kernel: str, workload: str, aspect: str) -> Share:
    """Of an item of a case, or with `workload` "" of a kernel."""
    run = report.run
    if not run.cases:  # nothing ran at all, which is never green
        return sorted_out([f for f in report.findings if f.scope is Scope.RUN or f.kernel == kernel])
    mine = sorted_out([f for f in report.findings if belongs(f, kernel, workload, aspect)])
    if not workload:
        return mine if kernel in run.kernels else Share(left_out=f"{kernel} has no workload among those that were run")
    case = next((c for c in run.cases if (c.kernel, c.workload) == (kernel, workload)), None)
    if case is None:
        return Share(left_out=f"{kernel}/{workload} is not meant for {run.device}")
    if aspect == LATENCY and case not in run.latency and not mine.failing and not mine.undecided:
        return untimed(report, case, mine)
    return mine


def belongs(finding: Finding, kernel: str, workload: str, aspect: str) -> bool:
    if ASPECT_OF.get(finding.rule, CORRECTNESS) != aspect:
        return False
    match finding.scope:
        case Scope.CASE:
            return finding.name == f"{kernel}/{workload}"
        case Scope.KERNEL:
            return finding.kernel == kernel
        case Scope.RUN:
            return True


def sorted_out(findings: list[Finding]) -> Share:
    return Share(
        failing=tuple(f for f in findings if f.blocks and not f.undecided),
        undecided=tuple(f for f in findings if f.blocks and f.undecided),
        warning=tuple(f for f in findings if f.level >= Level.WARN and not f.blocks),
        notes=tuple(f for f in findings if f.level is Level.NOTE),
    )


def untimed(report: Report, case: Case, mine: Share) -> Share:
    """
    A time that is not there is left out where nothing blocks, and unknown where what blocks is the cause: whoever
    selects this item alone must not see green.
    """
    if case in report.run.checked_only:
        return Share(warning=mine.warning, notes=mine.notes, left_out=f"{case.stable_name} is checked, and never timed")
    causes = [f for f in report.findings if f.name in (case.stable_name, case.kernel)]
    blocking = [f for f in causes if f.blocks]
    if blocking:
        return Share(unknown=f"not timed: {blocking[0].rule}: {blocking[0].sentence}")
    known = next((f": {f.rule}: {f.sentence}" for f in causes if f.level >= Level.WARN), "")
    return Share(warning=mine.warning, notes=mine.notes, left_out=f"{case.stable_name} was not timed{known}")
