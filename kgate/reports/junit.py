"""
JUnit's XML, for what shows test results: a suite for each kernel, a test for each of its cases and drills.

What blocks is a failure; what blocks because nobody could find out is an error. Skipped is a case that an earlier run
has proved and a drill that could not be met here: neither passes by that. Findings that are of no case are tests of
their own, named by their rule.

The form is what Jenkins' xunit plugin accepts (its junit-10.xsd): no attribute or element but those that it knows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from kgate.escape import plain
from kgate.model import Case, Drill, Finding, Report, Run, Scope
from kgate.reports import _drills
from kgate.reports._cells import HEADERS, rows
from kgate.reports._style import Style

NAME = "junit"
LONGEST = 4000  # characters of an element's text
RUN = "run"  # the suite of what is said of no kernel


@dataclass(frozen=True, kw_only=True)
class Entry:
    """`said` may be empty, and nothing of it need block; `output` is shown beside it. `skipped` is why, or ""."""

    name: str
    said: tuple[Finding, ...]
    output: str = ""
    skipped: str = ""

    @property
    def outcome(self) -> str:
        """ "" where it passes."""
        if any(f.blocks and not f.undecided for f in self.said):
            return "failure"
        if any(f.blocks for f in self.said):
            return "error"
        return "skipped" if self.skipped else ""


def render(report: Report, style: Style) -> str:
    suites = {name: tuple(tests) for name, tests in grouped(report).items()}
    every = [test for tests in suites.values() for test in tests]
    named = f"kgate: {report.verdict.value}"
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites{attributes(name=named, **numbers(every), time=f'{report.wall_s:.3f}')}>",
    ]
    for name, tests in suites.items():
        told = numbers(tests) | {"skipped": str(sum(test.outcome == "skipped" for test in tests))}
        lines.append(f"  <testsuite{attributes(name=name, **told, timestamp=report.started[:19])}>")
        lines += properties(report)
        lines += (line for test in tests for line in element(report, name, test))
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>"]) + "\n"


def grouped(report: Report) -> dict[str, list[Entry]]:
    """Tests by suite, in the order of the manifest; each finding stands in exactly one of them."""
    run, left = report.run, list(report.findings)
    suites: dict[str, list[Entry]] = {name: [] for name in run.kernels}
    for case, row in zip(run.cases, rows(report, str), strict=True):
        shown = ", ".join(f"{header} {cell}" for header, cell in zip(HEADERS[1:], row.cells, strict=True))
        suites[case.kernel].append(
            Entry(name=below(case), said=taken(left, case.kernel, case.stable_name), output=shown)
        )
    for drill in run.drills:
        suites[drill.kernel].append(drilled(run, drill, left))
    for case, why in run.carried.items():
        told = f"proved by run {why.run} at commit {why.commit[:9]}, and unchanged since"
        suites.setdefault(case.kernel, []).append(Entry(name=below(case), said=(), skipped=told))
    for finding in left:
        suite = finding.kernel if finding.kernel in suites else RUN
        suites.setdefault(suite, []).append(Entry(name=f"{finding.rule}: {finding.name}", said=(finding,)))
    return {name: tests for name, tests in suites.items() if tests}


def below(case: Case) -> str:
    return case.stable_name.removeprefix(f"{case.kernel}/")


def drilled(run: Run, drill: Drill, left: list[Finding]) -> Entry:
    missed = f"{_drills.NOT_MET}: {why}" if (why := _drills.unmet(run, drill)) else ""
    skipped = _drills.not_run(run, drill) or missed
    return Entry(name=f"drill {drill.condition}", said=taken(left, drill.kernel, drill.name), skipped=skipped)


def taken(left: list[Finding], kernel: str, name: str) -> tuple[Finding, ...]:
    mine = tuple(f for f in left if f.kernel == kernel and f.name == name and f.scope is not Scope.RUN)
    left[:] = [f for f in left if f not in mine]
    return mine


def element(report: Report, suite: str, test: Entry) -> Iterator[str]:
    named = attributes(classname=f"kgate.{suite}", name=test.name, time="0")
    output = "\n".join(filter(None, (test.output, *(sentence(f) for f in test.said if not f.blocks))))
    if not test.outcome and not output:
        yield f"    <testcase{named}/>"
        return
    yield f"    <testcase{named}>"
    if test.outcome == "skipped":
        yield f"      <skipped{attributes(message=test.skipped)}/>"
    elif test.outcome:
        yield failure(test)
    if output:
        yield f"      <system-out>{text(output)}</system-out>"
    yield "    </testcase>"


def failure(test: Entry) -> str:
    """One element, since many readers look at the first alone; its text has all that blocks."""
    blocking = sorted((f for f in test.said if f.blocks), key=lambda f: f.undecided)
    told = "\n\n".join(f"{sentence(f)}\nWhat to do: {f.advice}" for f in blocking)
    first = attributes(type=blocking[0].rule, message=blocking[0].sentence)
    return f"      <{test.outcome}{first}>{text(told)}</{test.outcome}>"


def sentence(finding: Finding) -> str:
    old = " (pre-existing)" if finding.pre_existing else ""
    return f"{finding.rule}{old}: {finding.sentence}"


def properties(report: Report) -> Iterator[str]:
    told = {
        "verdict": report.verdict.value,
        "manifest": report.manifest,
        "head": report.head,
        "base": report.base,
        "device": report.run.device,
        "kgate": report.version,
    }
    yield "    <properties>"
    yield from (f"      <property{attributes(name=name, value=value)}/>" for name, value in told.items())
    yield "    </properties>"


def numbers(tests: Sequence[Entry]) -> dict[str, str]:
    outcomes = [test.outcome for test in tests]
    return {
        "tests": str(len(tests)),
        "failures": str(outcomes.count("failure")),
        "errors": str(outcomes.count("error")),
    }


def attributes(**values: str) -> str:
    return "".join(f" {name}={quoteattr(plain(value))}" for name, value in values.items())


def text(told: str) -> str:
    """Line by line, so that no control character that XML does not know is left."""
    return escape("\n".join(plain(line) for line in told[:LONGEST].split("\n")))
