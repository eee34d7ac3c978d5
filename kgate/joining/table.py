"""
Joined legs for people and for programs. Where there is one leg, and nothing to say of it, its own report is the whole.

Words of a leg's report pass through its renderers, which escape them; sentences about legs are escaped here.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kgate import __version__
from kgate.errors import UsageError
from kgate.escape import markdown, plain
from kgate.figures import count
from kgate.joining.legs import Joined, Judged
from kgate.model import Report, Verdict
from kgate.reports import Style, render
from kgate.reports import document as documents
from kgate.reports.markdown import SIGNS

FORMAT = 1  # raised when a reader of the old form would misread the new one
HEAD = ("leg", "verdict", "counts as", "cases", "attempts", "why it does not count in full")


def rendered(found: Joined, form: str, style: Style) -> str:
    """`form` is a name of FORMS, or where one report is the whole of any format. Raises UsageError."""
    if (report := alone(found)) is not None:
        return render(report, form, style)
    if form not in FORMS:
        raise UsageError(f"--format {form}: tells of one run; give that leg's folder alone, without --base")
    return FORMS[form](found, style)


def texts_of(found: Joined) -> dict[str, str]:
    """By file name, as `kgate check --results` has them."""
    forms = {"report.json": "json", "report.txt": "text", "comment.md": "markdown"}
    return {name: rendered(found, form, Style(colour=False, width=80)) for name, form in forms.items()}


def alone(found: Joined) -> Report | None:
    """The only report, where it says all there is to say."""
    if found.trouble or found.waived or len(found.legs) != 1 or found.legs[0].trouble:
        return None
    reports = found.legs[0].reports
    return reports[0] if len(reports) == 1 and reports[0].verdict is found.verdict else None


def headline(found: Joined) -> str:
    legs = count(len(found.legs), "leg")
    open_ = [judged for judged in found.legs if judged.trouble]
    match found.verdict:
        case Verdict.FAIL:
            failed = [j.leg.name for j in found.legs if j.verdict is Verdict.FAIL]
            return f"this change is blocked on {', '.join(failed)}; {legs} in all"
        case Verdict.NO_VERDICT if open_ or found.trouble or not found.measured:
            asked = count(len(open_), "leg does not answer", "legs do not answer")
            return f"{asked}, which blames nobody and is no pass; {legs} in all"
        case Verdict.NO_VERDICT:
            return f"questions are left open, which blames nobody and is no pass; {legs} in all"
        case Verdict.WARN:
            return f"nothing blocks, and there is something to look at; {legs} in all"
        case Verdict.PASS:
            return f"nothing to mend on {legs}"


def sentences(found: Joined) -> Iterator[str]:
    """What is said of legs and not in their reports."""
    yield from found.trouble
    for judged in found.legs:
        yield from judged.trouble
    yield from (f"{device} is {why}" for device, why in found.waived.items())
    yield from found.remarks


def row(judged: Judged) -> tuple[str, ...]:
    report = judged.reports[0] if judged.reports else None
    return (
        judged.leg.name,
        judged.found.value,
        judged.verdict.value,
        str(len(report.run.cases)) if report else "–",
        str(report.attempts) if report else "–",
        judged.leg.why or "–",
    )


def text(found: Joined, style: Style) -> str:
    from tabulate import tabulate

    lines = [plain(f"kgate: {found.verdict.value}: {headline(found)}"), plain(of_what(found)), ""]
    lines += [plain(f"- {sentence}") for sentence in sentences(found)]
    lines += ["", tabulate([tuple(map(plain, row(judged))) for judged in found.legs], headers=HEAD)]
    for name, report in told(found):
        lines += ["", plain(f"== leg {name}"), "", render(report, "text", style).rstrip("\n")]
    return "\n".join(lines) + "\n"


def comment(found: Joined, style: Style) -> str:
    head = f"{SIGNS[found.verdict]} **kgate: {found.verdict.value}.** {markdown(headline(found)).capitalize()}.\n\n"
    listed = "".join(f"- {markdown(sentence)}\n" for sentence in sentences(found))
    table = "".join(
        f"| {' | '.join(cells)} |\n"
        for cells in (HEAD, (":--",) * len(HEAD), *(tuple(map(markdown, row(judged))) for judged in found.legs))
    )
    parts = [head, f"{markdown(of_what(found))}.\n\n", listed and f"{listed}\n", f"{table}\n"]
    parts += [f"### {markdown(name)}\n\n{render(report, 'markdown', style)}\n" for name, report in told(found)]
    return "".join(parts)


def told(found: Joined) -> list[tuple[str, Report]]:
    """The reports that a reader has to see first, first."""
    order = (Verdict.FAIL, Verdict.NO_VERDICT, Verdict.WARN, Verdict.PASS)
    pairs = [(judged, report) for judged in found.legs for report in judged.reports]
    pairs.sort(key=lambda pair: (order.index(pair[0].verdict), order.index(pair[1].verdict)))
    return [(judged.leg.name, report) for judged, report in pairs]


def of_what(found: Joined) -> str:
    base = f"base {found.base[:9]}" if found.base else "no base"
    return f"{found.manifest}, head {found.head[:9]} against {base}"


def document(found: Joined, style: Style) -> str:
    """Against schemas/joined.schema.json."""
    body = {
        "format": FORMAT,
        "kgate": __version__,
        "verdict": found.verdict.value,
        "exit_code": found.verdict.exit_code.value,
        "manifest": found.manifest,
        "head": found.head,
        "base": found.base,
        "trouble": list(found.trouble),
        "waived": dict(found.waived),
        "remarks": list(found.remarks),
        "legs": [leg(judged) for judged in found.legs],
    }
    said = json.dumps(documents.finite(body), allow_nan=False, indent=1, ensure_ascii=False) + "\n"
    return said.encode("utf-8", "replace").decode("utf-8")


def leg(judged: Judged) -> dict[str, Any]:
    return {
        "name": judged.leg.name,
        "device": judged.leg.device,
        "required": judged.leg.required,
        "why": judged.leg.why,
        "found": judged.found.value,
        "verdict": judged.verdict.value,
        "trouble": list(judged.trouble),
        "reports": [documents.document(report) for report in judged.reports],
    }


FORMS: Mapping[str, Callable[[Joined, Style], str]] = {"text": text, "markdown": comment, "json": document}
