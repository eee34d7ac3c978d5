"""What each condition did to each kernel, in the columns that text and Markdown share."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from kgate.figures import count
from kgate.model import Drill, Failure, Finding, Measurement, Outcome, Report, Run, Scope

HEADERS = ("condition", "path", "calls", "cost", "logged", "result")
LEGEND = (
    "path: which functions the dispatch called, and how often each (custom + fallback), counted by the worker; cost: "
    "import and calls of all workloads that were tried; right: as the reference has it, within the tolerance; not met: "
    "the condition did not come about, so that the answer is no test"
)
UNKNOWN = "–"
NOT_MET = "not met"
RULES = ("fallback-", "switch-without-effect")  # that speak of the switch, turned off from the start


@dataclass(frozen=True, kw_only=True)
class Row:
    """One kernel under one condition; `cells` are those of HEADERS."""

    kernel: str
    cells: tuple[str, ...]


def rows(report: Report, clean: Callable[[str], str]) -> list[Row]:
    """Every condition that was met, by kernel."""
    return [row(report, drill, clean) for drill in report.run.drills if drill.cases]


def row(report: Report, drill: Drill, clean: Callable[[str], str]) -> Row:
    run = report.run
    outcomes = [run.outcome(drill.arm, case) for case in drill.cases]
    answers = [o for o in outcomes if isinstance(o, Measurement)]
    cells = (
        drill.condition,
        " | ".join(dict.fromkeys(run.path_taken(drill.arm, c) for c in drill.cases if run.answered(drill.arm, c))),
        calls(answers),
        cost(outcomes),
        logged(answers),
        result(run, drill, [f for f in report.findings if speaks_of(f, drill)]),
    )
    return Row(kernel=clean(drill.kernel), cells=tuple(clean(cell) or UNKNOWN for cell in cells))


def calls(answers: list[Measurement]) -> str:
    """`0 + 3`: of custom and of the fallback; unknown where they cannot be seen."""
    names = [f"reached-{role}" for role in ("custom", "fallback")]
    if not answers or any(name not in a.facts for a in answers for name in names):
        return ""
    return " + ".join(str(sum(int(a.facts[name]) for a in answers)) for name in names)


def cost(outcomes: list[Outcome | None]) -> str:
    spent_ns = sum(sum(o.rungs_ns.values()) for o in outcomes if isinstance(o, Measurement))
    return f"{spent_ns / 1e9:.2f} s" if spent_ns else ""


def logged(answers: list[Measurement]) -> str:
    """Who spoke; a call that went as always has nothing to say."""
    spoken = dict.fromkeys(name for a in answers for name in a.facts.get("logged-by", ()))
    return ", ".join(spoken) or ("no" if any("logged-by" in a.facts for a in answers) else "")


def speaks_of(finding: Finding, drill: Drill) -> bool:
    if finding.scope is Scope.CASE and drill.condition == "switch-off":
        return finding.kernel == drill.kernel and finding.rule.startswith(RULES)
    return finding.name == drill.name


def result(run: Run, drill: Drill, said: list[Finding]) -> str:
    missed = [NOT_MET] if any(run.unmet(drill, case) for case in drill.cases) else []
    if said or missed:
        return ", ".join(dict.fromkeys([*missed, *(f.rule for f in said)]))
    outcomes = [run.outcome(drill.arm, case) for case in drill.cases]
    if any(map(not_here, outcomes)):
        return "not run"
    if any(isinstance(outcome, Failure) for outcome in outcomes):
        return "fails as without it"
    compared = all(run.comparisons.get((drill.arm, case)) for case in drill.cases)
    holds = all(c.holds for case in drill.cases for c in run.comparisons.get((drill.arm, case), ()))
    if compared and not holds:
        return "wrong as without it"
    untouched = outcomes and all(isinstance(o, Measurement) and o.facts.get("failed-backward") == [] for o in outcomes)
    return ("right (nothing to break)" if untouched else "right") if compared else "not compared"


def not_here(outcome: Outcome | None) -> bool:
    return isinstance(outcome, Failure) and outcome.reason == "unavailable"


def untried(run: Run) -> Iterator[str]:
    """`not run: lower-gpu, unknown-gpu: this run has no GPU`, once for all kernels of which it is true."""
    mine = [drill for drill in run.drills if run.of_kernel(drill.kernel)]
    for why_not, word in ((not_run, "not run"), (unmet, NOT_MET)):
        untold = ((drill, why) for drill in mine if (why := why_not(run, drill)))
        yield from (f"{word}: {line}" for line in grouped(run, untold))


def not_run(run: Run, drill: Drill) -> str:
    """Why it was not, as planned or as it came; "" if it was, with every case."""
    outcomes = [run.outcome(drill.arm, case) for case in drill.cases]
    missing = [outcome.text for outcome in outcomes if isinstance(outcome, Failure) and not_here(outcome)]
    return next(iter(missing), drill.not_run)


def unmet(run: Run, drill: Drill) -> str:
    return next((why for case in drill.cases if (why := run.unmet(drill, case))), "")


def grouped(run: Run, drills: Iterable[tuple[Drill, str]]) -> Iterator[str]:
    kernels: dict[str, dict[str, list[str]]] = {}
    for drill, why in drills:
        kernels.setdefault(why, {}).setdefault(drill.condition, []).append(drill.kernel)
    for why, of_condition in kernels.items():
        same: dict[frozenset[str], list[str]] = {}
        for condition, names in of_condition.items():
            same.setdefault(frozenset(names), []).append(condition)
        for whom, found in same.items():
            whose = "" if whom == {case.kernel for case in run.cases} else f" ({count(len(whom), 'kernel')})"
            yield f"{', '.join(found)}{whose}: {why}"


def coverage(run: Run) -> Iterator[str]:
    """Which workloads met every condition, a line for each kernel; they have all its dtypes and options."""
    for name in run.kernels:
        cases = [c for d in run.drills_of(name) if d.condition != "switch-off" for c in d.cases]
        tried, ways = dict.fromkeys(c.workload for c in cases), dict.fromkeys(c.direction for c in cases)
        if tried:
            of = count(len(run.kernels[name].workloads), "workload")
            yield f"{name}: {', '.join(tried)}, {len(tried)} of {of}, {' and '.join(ways)}"


def summary(report: Report) -> str:
    """`39 drills of 3 kernels under 13 conditions: 36 right, 3 fallback-silent`; "" where there were none."""
    found = rows(report, str)
    if not found:
        return ""
    results: dict[str, int] = {}
    for one in found:
        results[one.cells[-1]] = results.get(one.cells[-1], 0) + 1
    conditions = len({one.cells[0] for one in found})
    told = ", ".join(f"{number} {word}" for word, number in results.items())
    kernels = count(len({one.kernel for one in found}), "kernel")
    return f"{count(len(found), 'drill')} of {kernels} under {count(conditions, 'condition')}: {told}"
