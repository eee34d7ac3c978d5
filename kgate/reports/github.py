"""
For the log of a job on GitHub: the report as text, folded, then annotations on the lines to mend, worst first.

The runner shows ten annotations of a kind for a step and drops the rest without a word, its own about the exit code
among them; so there are nine at most, and what is left out is counted. Nothing of what is quoted can be a command.
"""

from collections.abc import Iterator

from kgate.escape import command, quoted
from kgate.figures import count
from kgate.model import Level, Report, Verdict
from kgate.reports import text
from kgate.reports._annotated import place_of
from kgate.reports._style import Style
from kgate.reports._view import Group, answering, headline, rules_of, sorted_out, title

NAME = "github"
LIMIT = 9  # of annotations
LONGEST = 2000  # characters of a message


def render(report: Report, style: Style) -> str:
    """Colours and width are the log's own."""
    told = text.render(report, Style(colour=False, width=style.width))
    lines = [
        "::group::kgate: the whole report",
        *(quoted(line) for line in told.splitlines()),
        "::endgroup::",
        *annotations(report),
        quoted(headline(report), lead=f"kgate: {report.verdict.value}: "),
    ]
    return "\n".join(lines) + "\n"


def annotations(report: Report) -> Iterator[str]:
    found = sorted_out(report)
    groups = (*found.blocking, *found.visible)
    shown = groups if len(groups) <= LIMIT else groups[: LIMIT - 1]
    yield from (annotation(report, group) for group in shown)
    left_out = [finding for group in groups[len(shown) :] for finding in group.findings]
    if left_out:
        kind = "error" if any(f.blocks for f in left_out) else "warning"
        more = f"{count(len(left_out), 'more finding')} in the step summary: {rules_of(left_out, every=True)}"
        yield command(kind, more, title="kgate")


def annotation(report: Report, group: Group) -> str:
    first = group.first
    place = place_of(report.run, group)
    said = f"{first.sentence}\nWhat to do: {first.advice}\nOwner: {answering(group)}"
    where = {"file": place.path, "line": str(place.line)} if place else {}
    return command(kind_of(report, group), said[:LONGEST], **where, title=f"kgate: {first.rule} {title(group)}")


def kind_of(report: Report, group: Group) -> str:
    """An open question is an error where it keeps the change from being merged."""
    if not group.first.blocks:
        return "notice" if group.first.level is Level.NOTE else "warning"
    return "warning" if group.first.undecided and report.verdict is Verdict.FAIL else "error"
