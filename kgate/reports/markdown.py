"""
The pull request's comment: the verdict in its first sentence, what blocks in the open, all else folded.

Whatever came from a repository or a worker passes through `escape.markdown`; only kgate's own words are Markdown.
Advice is kgate's own, with names from the manifest in it: its code marks show as code, and all else is escaped.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from shlex import quote

from kgate.escape import fenced, markdown, marked
from kgate.figures import count
from kgate.model import Finding, Report, Scope, Verdict
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

NAME = "markdown"
LONGEST_FLAGS = 1000  # characters; beyond that the whole check is as good
LIMIT = 60_000  # characters; GitHub takes 65,536, and the poster adds a marker and a link
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
    blocking = tuple(block(group) for group in found.blocking)
    visible = tuple(block(group) for group in found.visible)
    parts = [
        Part(head=opening(report)),
        Part(head="", rows=blocking, what="blocking findings"),
        Part(head=again(report)),
        folding(f"{count(len(visible), 'warning')}, blocking nothing", visible, "findings") if visible else None,
        case_table(report),
        folding(f"Notes: {folded(found.notes)}", tuple(f"- {markdown(f.sentence)}\n" for f in found.notes), "notes")
        if found.notes
        else None,
        folding("How this was measured", tuple(f"- {line}\n" for line in method(report)), "lines"),
    ]
    return joined([part for part in parts if part is not None])


def opening(report: Report) -> str:
    return (
        f"{SIGNS[report.verdict]} **kgate: {report.verdict.value}.** {capital(markdown(headline(report)))}.\n\n"
        f"{markdown(report.manifest)}, {markdown(commits(report))}, {markdown(gpu(report))}, "
        f"{launches(report.run)}.\n\n"
    )


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def gpu(report: Report) -> str:
    return report.run.fingerprint.must_match.get("gpu") or report.run.device if report.run.on_gpu else "CPU"


def block(group: Group) -> str:
    """One rule on one kernel: a paragraph, then a list that ends in what to do."""
    first = group.first
    old = ", in base as well" if first.pre_existing else ""
    open_ = ", could not be decided" if first.undecided else ""
    lines = [f"**{markdown(first.rule)}** {markdown(title(group))}{old}{open_}", ""]
    lines += [f"- {markdown(finding.sentence)}" for finding in group.findings]
    lines += [f"- {markdown(key)}: {markdown(value)}" for key, value in first.evidence.items() if key != "trace"]
    lines += [f"- What to do: {marked(first.advice)}", f"- Owner: {markdown(answering(group))}", "", ""]
    return "\n".join(lines)


def again(report: Report) -> str:
    """The exact command, narrowed to what blocks, and the ways to let a change through on purpose."""
    blocking = [f for f in report.findings if f.blocks]
    if not blocking:
        return ""
    accept = (
        "To accept a finding on purpose, lower its rule under `policy` in the manifest, in a change of its own that "
        "the owner reviews; `kgate explain RULE` says what each rule wants."
    )
    return f"To see this on your machine:\n\n{fenced(report.command + narrowed(report, blocking))}\n\n{accept}\n\n"


def narrowed(report: Report, blocking: list[Finding]) -> str:
    """`--kernel` for each kernel that blocks, `--workload` where all is about one kernel's; "" if that is too long."""
    kernels = list(dict.fromkeys(f.kernel for f in blocking if f.kernel))
    flags = [f" --kernel {quote(name)}" for name in kernels]
    if len(kernels) == 1 and all(f.scope is Scope.CASE for f in blocking):
        names = dict.fromkeys(f.name.removeprefix(f"{f.kernel}/") for f in blocking)
        flags += [f" --workload {quote(name)}" for name in names]
    text = "".join(flags)
    return "" if "--kernel" in report.command or len(text) > LONGEST_FLAGS else text


def case_table(report: Report) -> Part:
    cases = tuple(line(cells) for cells in rows(report, markdown))
    head = line(HEADERS) + line((":--", *("--:",) * 5, ":--"))
    return folding(count(len(cases), "case"), cases, "cases", head)


def line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def folding(summary: str, inside: tuple[str, ...], what: str, head: str = "") -> Part:
    """`summary` holds nothing but kgate's own words: inside that element Markdown's escapes do not work."""
    return Part(
        head=f"<details><summary>{summary}</summary>\n\n{head}", rows=inside, tail="\n</details>\n\n", what=what
    )


def method(report: Report) -> Iterator[str]:
    fields = report.run.fingerprint.must_match
    yield from (f"{markdown(name)}: {markdown(value)}" for name, value in fields.items())
    methods = dict.fromkeys(latency.method for latency in report.run.latency.values())
    yield f"timer: {markdown(', '.join(methods) or 'nothing was timed')}; ratios are medians with 95 % intervals"
    yield f"sandbox: {markdown(report.sandbox)}"
    yield from (markdown(remark) for remark in report.run.remarks)
    yield f"cost: {markdown(cost(report))}; kgate {markdown(report.version)}, {markdown(report.started)}"


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
