"""The report for a terminal: the verdict first, what blocks next, one table, and the rest in counts."""

import textwrap
from collections.abc import Iterator

from kgate.escape import plain
from kgate.model import Report, Verdict
from kgate.reports._style import Style
from kgate.reports._view import (
    HEADERS,
    Group,
    answering,
    commits,
    cost,
    folded,
    headline,
    launches,
    rows,
    sorted_out,
    title,
)

NAME = "text"
RESET = "\x1b[0m"
COLOURS = {Verdict.FAIL: "\x1b[1;31m", Verdict.NO_VERDICT: "\x1b[1;35m", Verdict.WARN: "\x1b[1;33m"}
GREEN, BOLD = "\x1b[1;32m", "\x1b[1m"
TRACE_LINES = 3
NARROWEST_CASE = 12  # columns left for a case's name, however narrow the terminal


def render(report: Report, style: Style) -> str:
    found = sorted_out(report)
    lines = [
        *verdict(report, style),
        *section("BLOCKING", found.blocking, style),
        *section("TO LOOK AT", found.visible, style),
        "",
        *table(report, style),
        "",
    ]
    if found.notes:
        lines += wrapped(f"notes: {folded(found.notes)}; in full with --format json", style.width)
    for remark in report.run.remarks:
        lines += wrapped(f"remark: {plain(remark)}", style.width)
    lines += wrapped(f"cost: {cost(report)}, {launches(report.run)}, sandbox {plain(report.sandbox)}", style.width)
    lines += wrapped(f"again: {plain(report.command)}", style.width)
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
    old = ", in base as well" if first.pre_existing else ""
    open_ = ", could not be decided" if first.undecided else ""
    yield from wrapped(plain(f"{first.rule}  {title(group)}{old}{open_}"), style.width, "  ")
    for finding in group.findings:
        yield from wrapped(plain(finding.sentence), style.width, "      ")
    for key, value in first.evidence.items():
        # Of a trace the end tells most; the whole of it is in the JSON report.
        for piece in value.splitlines()[-TRACE_LINES:] if key == "trace" else (value,):
            yield from wrapped(f"{plain(key)}: {plain(piece)}", style.width, "      ")
    yield from wrapped(f"do: {plain(first.advice)}", style.width, "      ")
    yield from wrapped(f"owner: {plain(answering(group))}", style.width, "      ")


def table(report: Report, style: Style) -> list[str]:
    """All cases. The names give way if the terminal is narrow: they are elided in the middle, the numbers never."""
    cases = rows(report, plain)
    if not cases:
        return ["no cases"]
    longest = max(len(cells[0]) for cells in cases)
    spare = style.width - len(drawn([("", *cells[1:]) for cells in cases])[0])
    room = max(NARROWEST_CASE, min(longest, spare + len(HEADERS[0])))
    return drawn([(elided(cells[0], room), *cells[1:]) for cells in cases])


def drawn(cases: list[tuple[str, ...]]) -> list[str]:
    from tabulate import tabulate

    align = ("left", *("right",) * 5, "left")
    return tabulate(cases, headers=HEADERS, tablefmt="simple", disable_numparse=True, colalign=align).splitlines()


def elided(name: str, room: int) -> str:
    if len(name) <= room:
        return name
    tail = (room - 1) * 2 // 3
    return f"{name[: room - 1 - tail]}…{name[-tail:]}"


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    return textwrap.wrap(
        text, width, initial_indent=indent, subsequent_indent=indent + "  ", break_on_hyphens=False
    ) or [""]


def painted(text: str, colour: str, style: Style) -> str:
    return f"{colour}{text}{RESET}" if style.colour else text
