"""What text and Markdown have in common: the verdict's sentence, and findings in groups."""

from collections.abc import Iterable
from dataclasses import dataclass

from kgate.figures import count
from kgate.model import Finding, Level, Report, Run, Scope, Verdict
from kgate.reports._notes import slower_cases

GATE_LOOSENED, DEBT_EXPIRED = "gate-loosened", "debt-expired"
RULES_SHOWN = 10  # by name, in the sentence that comes first


@dataclass(frozen=True, kw_only=True)
class Group:
    """Findings of one rule on one kernel that weigh the same; never empty."""

    findings: tuple[Finding, ...]

    @property
    def first(self) -> Finding:
        return self.findings[0]


@dataclass(frozen=True, kw_only=True)
class Findings:
    """By what a reader has to do: mend, look at, or nothing."""

    blocking: tuple[Group, ...]
    visible: tuple[Group, ...]
    notes: tuple[Finding, ...]


def sorted_out(report: Report) -> Findings:
    notes = [f for f in report.findings if f.level is Level.NOTE]
    blocking = [f for f in report.findings if f.blocks]
    rest = [f for f in report.findings if f.level is not Level.NOTE and not f.blocks]
    return Findings(blocking=grouped(blocking), visible=grouped(rest), notes=tuple(notes))


def grouped(findings: Iterable[Finding]) -> tuple[Group, ...]:
    groups: dict[tuple[str, str, Level, bool, bool], list[Finding]] = {}
    for f in findings:
        groups.setdefault((f.rule, f.kernel, f.level, f.pre_existing, f.undecided), []).append(f)
    return tuple(Group(findings=tuple(members)) for members in groups.values())


def headline(report: Report) -> str:
    """One sentence: the verdict, what decided it, and how much was looked at."""
    blocking = [f for f in report.findings if f.blocks]
    run = report.run
    measured = len(run.kernels) - len({case.kernel for case in run.carried})
    looked = f"{count(len(run.cases), 'case')} of {count(measured, 'kernel')} on {run.device}"
    if run.carried:
        looked += f", {count(len(run.carried), 'case')} carried"
    match report.verdict:
        case Verdict.FAIL:
            return f"{blocked(blocking)}; {looked}"
        case Verdict.NO_VERDICT:
            questions = count(len(blocking), "question is", "questions are")
            return f"{questions} left open ({rules_of(blocking)}), which blames nobody; {looked}"
        case Verdict.WARN:
            seen = sum(len(group.findings) for group in sorted_out(report).visible)
            return f"nothing blocks, {count(seen, 'finding')} to look at; {noted(report)}{looked}"
        case Verdict.PASS:
            slower = noted(report)
            return f"nothing {'blocks' if slower else 'to mend'}; {slower}{looked}"


def blocked(blocking: list[Finding]) -> str:
    """What is shown to be at fault, apart from what nobody knows yet."""
    shown, left_open = [f for f in blocking if not f.undecided], [f for f in blocking if f.undecided]
    kernels = count(len({f.kernel for f in shown}), "kernel")
    blocks = count(len(shown), "finding blocks", "findings block")
    also = f", {len(left_open)} could not be decided ({rules_of(left_open)})" if left_open else ""
    return f"{blocks} this change ({rules_of(shown)}) in {kernels}{also}"


def rules_of(findings: list[Finding], *, every: bool = False) -> str:
    names = list(dict.fromkeys(f.rule for f in findings))
    shown = names if every else names[:RULES_SHOWN]
    more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
    return ", ".join(shown) + more


def noted(report: Report) -> str:
    slower = slower_cases(f for f in report.findings if f.level is Level.NOTE)
    return f"{slower}; " if slower else ""


def commits(report: Report) -> str:
    """`head 1a2b3c4d5+dirty against base 0d0e0f101`; `uncommitted changes, no base` before any commit."""
    commit, plus, dirty = report.head.partition("+")
    head = f"head {commit[:9]}{plus}{dirty}" if commit else "uncommitted changes"
    return f"{head} against base {report.base[:9]}" if report.base else f"{head}, no base"


def launches(report: Report) -> str:
    """How many launches the cases were timed in: `8 launches`, `3 to 8 launches`, or `16 launches of 2 attempts`."""
    of = f" of {report.attempts} attempts" if report.attempts > 1 else ""
    return f"{timed_in(report.run)}{of}"


def timed_in(run: Run) -> str:
    numbers = [len(found.launches) for found in run.latency.values()]
    if not numbers:
        return "no launches"
    least, most = min(numbers), max(numbers)
    return count(most, "launch", "launches") if least == most else f"{least} to {most} launches"


def cost(report: Report) -> str:
    parts = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in report.cost_s.items() if seconds >= 0.05)
    resumed = f"; {count(report.resumed, 'outcome')} taken from an earlier run" if report.resumed else ""
    return f"{report.wall_s:.1f} s" + (f" ({parts})" if parts else "") + resumed


def title(group: Group) -> str:
    """Which kernel or case, in the group's heading, and how it stands; a run's finding names neither."""
    first = group.first
    subject = first.kernel or "all kernels"
    several = f"{subject} ({count(len(group.findings), *noun(first))})" if len(group.findings) > 1 else first.name
    old = ", pre-existing" if first.pre_existing else ""
    open_ = ", could not be decided" if first.undecided else ""
    whole = first.scope is Scope.RUN and first.rule not in (GATE_LOOSENED, DEBT_EXPIRED)
    return f"{old}{open_}".removeprefix(", ") if whole else f"{several}{old}{open_}"


def noun(finding: Finding) -> tuple[str, ...]:
    """What there are several of, by what a finding's name tells apart, and the plural if it is a particular one."""
    if finding.rule == DEBT_EXPIRED:
        return ("entry", "entries")
    if finding.rule == GATE_LOOSENED:
        return ("change",)
    return ("case" if finding.scope is Scope.CASE else "condition",)


def answering(group: Group) -> str:
    """Owners, and the line of the manifest where the case or kernel is entered: not the one that names them."""
    owners = ", ".join(group.first.owners) or "nobody"
    place = f" (entry: {group.first.place})" if group.first.place else ""
    return f"{owners}{place}"
