"""
The pull request's comment: the verdict in its first sentence, then what blocks and what to do about it, short enough
for the first screen; the evidence and all else are folded.

Whatever came from a repository or a worker passes through `escape.markdown`; only kgate's own words are Markdown.
Advice is kgate's own, with names from the manifest in it: its code marks show as code, and all else is escaped.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kgate.escape import fenced, markdown, marked
from kgate.figures import count
from kgate.model import Finding, Report, Verdict
from kgate.reports import _carried, _drills, _instrument, _standing, _terms
from kgate.reports._again import checkout, command
from kgate.reports._bars import bars
from kgate.reports._cells import HEADERS, LEGEND, rows
from kgate.reports._evidence import evidence
from kgate.reports._notes import NO_BASELINE, folded
from kgate.reports._style import Style
from kgate.reports._view import Group, answering, commits, cost, headline, launches, sorted_out, title

NAME = "markdown"
LIMIT = 59_000  # characters; GitHub takes 65,536, the poster 60,000 with its marker and a word on stale results
SENTENCE, ADVICE = 200, 200  # characters of a finding in the open; the whole of it is folded below
SIGNS = {Verdict.FAIL: "❌", Verdict.NO_VERDICT: "❔", Verdict.WARN: "⚠️", Verdict.PASS: "✅"}


@dataclass(frozen=True, kw_only=True)
class Part:
    """A stretch of the comment that may be shortened by whole rows. `what` names the rows in the line that says so."""

    head: str
    rows: tuple[str, ...] = ()
    tail: str = ""
    what: str = "rows"


def render(report: Report, style: Style) -> str:
    found = sorted_out(report)
    blocking = tuple(block(report, group) for group in found.blocking)
    visible = tuple(block(report, group) for group in found.visible)
    parts = [
        Part(head=opening(report)),
        Part(head="", rows=tuple(map(blocker, found.blocking)), what="blocking findings"),
        Part(head=again(report)),
        folding("What blocks, with its evidence", blocking, "findings") if blocking else None,
        folding(f"{count(len(visible), 'warning')}, blocking nothing", visible, "findings") if visible else None,
        case_table(report) if not report.run.drills_only else None,
        drill_table(report),
        folding(f"Notes: {folded(found.notes)}", tuple(map(note, found.notes)), "notes") if found.notes else None,
        folding("How this was measured", tuple(f"- {line}\n" for line in method(report)), "lines"),
    ]
    return joined([part for part in parts if part is not None])


def opening(report: Report) -> str:
    return (
        f"{SIGNS[report.verdict]} **kgate: {report.verdict.value}.** {capital(markdown(headline(report)))}.\n\n"
        f"{markdown(report.manifest)}, {markdown(commits(report))}, {markdown(gpu(report))}, "
        f"{launches(report)}.\n\n"
    )


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def gpu(report: Report) -> str:
    return report.run.fingerprint.must_match.get("gpu") or report.run.device if report.run.on_gpu else "CPU"


def blocker(group: Group) -> str:
    """One rule on one kernel, in two to four lines: whose it is, what is wrong, and what to do."""
    first = group.first
    more = len(group.findings) - 1
    others = f" (and {more} more, below)" if more else ""
    owners = ", ".join(first.owners) or "no owner"
    return (
        f"- **{markdown(first.rule)}** {markdown(title(group))} · {markdown(owners)} · "
        f"{markdown(first.sentence, SENTENCE)}{others}\\\n  → {marked(first.advice, ADVICE)}\n"
    )


def block(report: Report, group: Group) -> str:
    """One rule on one kernel: a paragraph, then a list that ends in what to do."""
    first = group.first
    lines = [f"**{markdown(first.rule)}** {markdown(title(group))}", ""]
    drawn = bars(report.run, group)
    lines += [fenced(*drawn, language="text"), ""] if drawn else [f"- {markdown(f.sentence)}" for f in group.findings]
    lines += [f"- {markdown(key)}: {markdown(value)}" for key, value in evidence(group)]
    lines += [f"- What to do: {marked(first.advice)}", f"- Owner: {markdown(answering(group))}", "", ""]
    return "\n".join(lines)


def note(finding: Finding) -> str:
    advice = f". {marked(finding.advice)}" if finding.rule == NO_BASELINE else ""
    return f"- {markdown(finding.sentence)}{advice}\n"


def again(report: Report) -> str:
    """The exact commands, narrowed to what blocks, and the ways to let a change through on purpose."""
    if not any(f.blocks for f in report.findings):
        return ""
    accept = (
        "To accept a finding on purpose, lower its rule under `policy` in the manifest, in a change of its own that "
        "the owner reviews; `kgate explain RULE` says what each rule wants."
    )
    typed = fenced(*filter(None, (checkout(report), command(report))))
    return f"\nTo see this on your machine:\n\n{typed}\n\n{accept}\n\n"


def case_table(report: Report) -> Part:
    cases = tuple(line((f"{row.kernel}/{row.workload}", *row.cells)) for row in rows(report, markdown))
    head = line(HEADERS) + line((":--", *("--:",) * 5, ":--"))
    return folding(count(len(cases), "case"), cases, "cases", head, f"\n{LEGEND}.\n" if report.run.latency else "")


def drill_table(report: Report) -> Part | None:
    found = tuple(line((row.kernel, *row.cells)) for row in _drills.rows(report, markdown))
    told = [f"- {markdown(line)}\n" for line in _drills.untried(report.run)]
    told += [f"- workloads of {markdown(text)}\n" for text in _drills.coverage(report.run)]
    head = line(("kernel", *_drills.HEADERS)) + line((":--",) * 7)
    foot = f"\n{''.join(told)}\n{_drills.LEGEND}.\n"
    return folding(f"Drills: {_drills.summary(report)}", found, "drills", head, foot) if found else None


def line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def folding(summary: str, inside: tuple[str, ...], what: str, head: str = "", foot: str = "") -> Part:
    """`summary` holds nothing but kgate's own words: inside that element Markdown's escapes do not work."""
    return Part(
        head=f"<details><summary>{summary}</summary>\n\n{head}", rows=inside, tail=f"{foot}\n</details>\n\n", what=what
    )


def method(report: Report) -> Iterator[str]:
    fields = report.run.fingerprint.must_match
    yield from (f"{markdown(name)}: {markdown(value)}" for name, value in fields.items())
    methods = dict.fromkeys(latency.method for latency in report.run.latency.values())
    yield f"timer: {markdown(', '.join(methods) or 'nothing was timed')}; ratios are medians with 95 % intervals"
    yield from (f"timer of {markdown(name)}: {markdown(why)}" for name, why in other_timers(report).items())
    if controls := _instrument.line(report.run):
        yield markdown(controls)
        yield markdown(_standing.line(report.run.standing))
    if terms := _terms.line(report.run.terms):
        yield markdown(terms)
    yield f"sandbox: {markdown(report.sandbox)}"
    yield from map(markdown, (*_carried.lines(report.run), *report.run.remarks))
    yield f"cost: {markdown(cost(report))}; kgate {markdown(report.version)}, {markdown(report.started)}"


def other_timers(report: Report) -> dict[str, str]:
    """By case: why it was not timed by the method for its length."""
    notes = {c.stable_name: found.launches[0].notes for c, found in report.run.latency.items() if found.launches}
    return {name: str(said["timer"]) for name, said in notes.items() if "timer" in said}


def joined(parts: list[Part]) -> str:
    """All heads and tails, and as many rows as fit, from the first part on; what was left out is counted."""
    room = LIMIT - sum(len(p.head) + len(p.tail) + len(left_out(len(p.rows), p.what)) for p in parts)
    texts = []
    for part in parts:
        kept = []
        for text in part.rows:
            if len(text) > room:
                break
            kept.append(text)
            room -= len(text)
        missing = left_out(len(part.rows) - len(kept), part.what)
        texts.append(part.head + "".join(kept) + missing + part.tail)
    return "".join(texts).rstrip("\n") + "\n"


def left_out(number: int, what: str) -> str:
    return f"\n… and {number} more {what}, in the file `report.json` of this run.\n\n" if number else ""
