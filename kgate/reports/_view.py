"""What text and Markdown have in common: the verdict's sentence, findings in groups, and the row of each case."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from kgate.figures import change, count, digits, factor, time_of
from kgate.model import HEAD, Case, Finding, Level, Ratio, Report, Run, Scope, Verdict

HEADERS = ("case", "custom", "fallback", "ratio", "vs base", "error", "status")


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
    looked = (
        f"{count(len(report.run.cases), 'case')} of {count(len(report.run.kernels), 'kernel')} on {report.run.device}"
    )
    rules = ", ".join(dict.fromkeys(f.rule for f in blocking))
    match report.verdict:
        case Verdict.FAIL:
            kernels = len({f.kernel for f in blocking})
            blocked = count(len(blocking), "finding blocks", "findings block")
            return f"{blocked} this change ({rules}) in {count(kernels, 'kernel')}; {looked}"
        case Verdict.NO_VERDICT:
            questions = count(len(blocking), "question is", "questions are")
            return f"{questions} left open ({rules}), which blames nobody; {looked}"
        case Verdict.WARN:
            seen = sum(len(group.findings) for group in sorted_out(report).visible)
            return f"nothing blocks, {count(seen, 'finding')} to look at; {looked}"
        case Verdict.PASS:
            return f"nothing to mend; {looked}"


def commits(report: Report) -> str:
    """`head 1a2b3c4d5+dirty against base 0d0e0f101`."""
    commit, plus, dirty = report.head.partition("+")
    against = f"against base {report.base[:9]}" if report.base else "without a base"
    return f"head {commit[:9]}{plus}{dirty} {against}"


def launches(run: Run) -> str:
    """How many launches the cases were timed in: `8 launches`, or `3 to 8 launches`."""
    numbers = [len(found.launches) for found in run.latency.values()]
    if not numbers:
        return "no launches"
    least, most = min(numbers), max(numbers)
    return count(most, "launch", "launches") if least == most else f"{least} to {most} launches"


def cost(report: Report) -> str:
    parts = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in report.cost_s.items() if seconds >= 0.05)
    resumed = f"; {count(report.resumed, 'outcome')} taken from an earlier run" if report.resumed else ""
    return f"{report.wall_s:.1f} s" + (f" ({parts})" if parts else "") + resumed


def folded(notes: Iterable[Finding]) -> str:
    """`12 slower-than-fallback, 3 no-baseline`."""
    numbers: dict[str, int] = {}
    for note in notes:
        numbers[note.rule] = numbers.get(note.rule, 0) + 1
    return ", ".join(f"{number} {rule}" for rule, number in numbers.items())


def title(group: Group) -> str:
    """Which kernel or case, in the group's heading; a run's finding has neither."""
    first = group.first
    if len(group.findings) > 1:
        return f"{first.kernel} ({count(len(group.findings), 'case')})"
    return "" if first.scope is Scope.RUN else first.name


def answering(group: Group) -> str:
    """Owners, and the line of the manifest."""
    owners = ", ".join(group.first.owners) or "nobody"
    place = f", {group.first.place}" if group.first.place else ""
    return f"{owners}{place}"


def rows(report: Report, clean: Callable[[str], str]) -> list[tuple[str, ...]]:
    """Every case in the columns of HEADERS, with `clean` on what was not written here; "–" is not known."""
    said: dict[str, list[Finding]] = {}
    for finding in report.findings:
        said.setdefault(finding.name, []).append(finding)
    return [row(report.run, case, clean, said) for case in report.run.cases]


def row(run: Run, case: Case, clean: Callable[[str], str], said: Mapping[str, list[Finding]]) -> tuple[str, ...]:
    """`said`: findings by the name of what they speak of."""
    latency = run.latency.get(case)
    medians = latency.median_ns if latency else {}
    ratios = [latency.ratio(HEAD.name, below) if latency else None for below in ("fallback", "base")]
    name = f"{case.kernel}/{case.workload}" + ("" if case.direction == "forward" else f"/{case.direction}")
    return (
        clean(name),
        *(time_of(medians[arm]) if arm in medians else "–" for arm in ("head", "fallback")),
        against_fallback(ratios[0]),
        against_base(ratios[1]),
        worst_error(run, case),
        status([f for f in (*said.get(name, ()), *said.get(case.kernel, ())) if f.kernel == case.kernel]),
    )


def half_width(ratio: Ratio) -> float:
    """Of the interval, in percentage points."""
    return (ratio.high - ratio.low) / 2 * 100


def against_fallback(ratio: Ratio | None) -> str:
    return f"{factor(ratio.median)} ±{half_width(ratio) / ratio.median:.0f} %" if ratio else "–"


def against_base(ratio: Ratio | None) -> str:
    return f"{change(ratio.median).removesuffix(' %')} ±{half_width(ratio):.1f} %" if ratio else "–"


def worst_error(run: Run, case: Case) -> str:
    """The largest row error of head's outputs; see the metric of that name."""
    compared = run.comparisons.get((HEAD, case), ())
    errors = [c.metrics["row_error"].value for c in compared if "row_error" in c.metrics]
    if any(c.mismatch for c in compared) or not errors:
        return "–"
    return "0" if max(errors) == 0 else digits(max(errors)) if max(errors) == float("inf") else f"{max(errors):.0e}"


def status(said: list[Finding]) -> str:
    """The worst that is said of a case and of its kernel: fail, unclear, warn, old (base has it too), or ok."""
    blocking = [f for f in said if f.blocks]
    if blocking:
        return "unclear" if all(f.undecided for f in blocking) else "fail"
    if any(f.level is Level.WARN for f in said):
        return "warn"
    return "old" if any(f.level is Level.FAIL for f in said) else "ok"
