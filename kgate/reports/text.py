"""The report for a terminal: the verdict first, what blocks next, one table, and the rest in counts."""

import textwrap
from collections.abc import Iterator, Sequence

from kgate.escape import plain
from kgate.model import Finding, Report, Verdict
from kgate.reports import _carried, _drills, _instrument, _notes, _standing, _terms
from kgate.reports._again import command
from kgate.reports._cells import LEGEND, rows
from kgate.reports._evidence import evidence, trace
from kgate.reports._style import Style
from kgate.reports._table import drawn
from kgate.reports._view import Group, answering, commits, cost, grouped, headline, launches, sorted_out, title

NAME = "text"
RESET = "\x1b[0m"
COLOURS = {Verdict.FAIL: "\x1b[1;31m", Verdict.NO_VERDICT: "\x1b[1;35m", Verdict.WARN: "\x1b[1;33m"}
LONGEST_COMMAND = 4000  # characters
GREEN, BOLD = "\x1b[1;32m", "\x1b[1m"


def render(report: Report, style: Style) -> str:
    found = sorted_out(report)
    lines = [
        *verdict(report, style),
        *section("BLOCKING", found.blocking, style),
        *section("TO LOOK AT", found.visible, style),
        "",
        *(matrix(report, style) if report.run.drills_only else table(report, style)),
        "",
    ]
    if not report.run.drills_only and (drilled := _drills.summary(report)):
        lines += wrapped(plain(f"drills: {drilled}; each with --format markdown"), style.width)
    lines += note_lines(report, found.notes, style)
    if terms := _terms.line(report.run.terms):
        lines += wrapped(plain(terms), style.width)
    for line in _carried.lines(report.run):
        lines += wrapped(plain(line), style.width)
    for remark in report.run.remarks:
        lines += wrapped(f"remark: {plain(remark)}", style.width)
    if controls := _instrument.line(report.run):
        lines += wrapped(controls, style.width)
        lines += wrapped(plain(_standing.line(report.run.standing)), style.width)
    lines += wrapped(f"cost: {cost(report)}, {launches(report)}, sandbox {plain(report.sandbox)}", style.width)
    lines += wrapped(f"again: {plain(command(report), LONGEST_COMMAND)}", style.width)
    return "\n".join(lines) + "\n"


def verdict(report: Report, style: Style) -> Iterator[str]:
    first, *rest = wrapped(plain(f"kgate: {report.verdict.value}: {headline(report)}"), style.width)
    word = f"kgate: {report.verdict.value}"
    yield painted(word, COLOURS.get(report.verdict, GREEN), style) + first.removeprefix(word)
    yield from rest
    yield from wrapped(plain(f"{report.manifest}, {commits(report)}"), style.width)


def section(name: str, groups: tuple[Group, ...], style: Style) -> Iterator[str]:
    if not groups:
        return
    yield ""
    yield painted(name, BOLD, style)
    for group in groups:
        yield from group_lines(group, style)


def group_lines(group: Group, style: Style) -> Iterator[str]:
    first = group.first
    label, pieces = trace(group)
    said = (
        *(finding.sentence for finding in group.findings),
        *(f"{key}: {value}" for key, value in evidence(group)),
        *(f"{label}: {piece}" for piece in pieces),
        f"do: {first.advice}",
        f"owner: {answering(group)}",
    )
    yield from wrapped(plain(f"{first.rule}  {title(group)}"), style.width, "  ")
    for line in said:
        yield from wrapped(plain(line), style.width, "      ")


def told(report: Report, findings: Sequence[Finding], style: Style) -> str:
    """Some of a report's findings by themselves, in the same words, with the command that looks at them again."""
    lines = [line for group in grouped(findings) for line in group_lines(group, style)]
    again = wrapped(f"again: {plain(command(report, findings), LONGEST_COMMAND)}", style.width, "  ")
    return "\n".join([*lines, *again])


def note_lines(report: Report, notes: tuple[Finding, ...], style: Style) -> list[str]:
    if not notes:
        return []
    said = [wrapped(plain(line), style.width, "  ") for line in _notes.lines(report, notes)]
    return [*wrapped(_notes.heading(report, notes), style.width), *(line for lines in said for line in lines)]


def table(report: Report, style: Style) -> list[str]:
    cases = rows(report, plain)
    if not cases:
        return ["no cases measured"] if report.run.carried else ["no cases"]
    return [*drawn(cases, style.width), *(wrapped(LEGEND, style.width) if report.run.latency else ())]


def matrix(report: Report, style: Style) -> list[str]:
    """Every condition of every kernel, then those that were not met and why."""
    found = _drills.rows(report, plain)
    if not found:
        return ["no drills"]
    widths = [max(map(len, column)) for column in zip(_drills.HEADERS, *(row.cells for row in found), strict=True)]
    lines = [aligned(_drills.HEADERS, widths), aligned(tuple("-" * size for size in widths), widths)]
    kernel = None
    for row in found:
        if row.kernel != kernel:
            lines.append(row.kernel)
        kernel = row.kernel
        lines.append(aligned(row.cells, widths))
    told = list(_drills.untried(report.run))
    told += [f"workloads of {line}" for line in _drills.coverage(report.run)]
    return [*lines, *(line for text in (*told, _drills.LEGEND) for line in wrapped(plain(text), style.width))]


def aligned(cells: tuple[str, ...], widths: list[int]) -> str:
    return "  " + "  ".join(cell.ljust(size) for cell, size in zip(cells, widths, strict=True)).rstrip()


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    return textwrap.wrap(
        text, width, initial_indent=indent, subsequent_indent=indent + "  ", break_on_hyphens=False
    ) or [""]


def painted(text: str, colour: str, style: Style) -> str:
    return f"{colour}{text}{RESET}" if style.colour else text
