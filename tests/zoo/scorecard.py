"""What the gate said of each specimen, held against what its docstring wants."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.contract.check.shop import Ended
from tests.zoo.specimen import Specimen

NAMED, ANOTHER, MISSED, QUIET, ALARM = "caught", "by another rule", "missed", "quiet", "false alarm"
DUE = (NAMED, ANOTHER, MISSED)
LEAST_NAMED = 0.95


@dataclass(frozen=True, kw_only=True)
class Row:
    """`result` is one of the above, or says why there is none; `rules` are those that spoke, `text` what they said."""

    specimen: Specimen
    result: str
    rules: tuple[str, ...] = ()
    text: str = ""
    blocks: bool = False


def row(specimen: Specimen, ended: Ended | None, refused: str, on_gpu: bool) -> Row:
    if specimen.waits_for:
        return Row(specimen=specimen, result=f"waits for {specimen.waits_for}")
    if specimen.needs_gpu and not on_gpu:
        return Row(specimen=specimen, result="not run here: needs a GPU")
    if ended is None:
        missed = "not run: this version's manifest lacks what it needs" if specimen.honest else MISSED
        return Row(specimen=specimen, result=missed, text=refused)
    if not ended.report or not any(case["kernel"] == specimen.name for case in ended.report["cases"]):
        text = f"the gate ended with {ended.code} and no word of it: {ended.err[-300:]}"
        return Row(specimen=specimen, result=ALARM if specimen.honest else MISSED, text=text)
    return told(specimen, list(spoken(specimen, ended.report)))


def told(specimen: Specimen, found: Sequence[Mapping[str, Any]]) -> Row:
    rules = tuple(dict.fromkeys(f["rule"] for f in found))
    if specimen.honest:
        result = ALARM if rules else QUIET
    else:
        result = NAMED if specimen.rule in rules else ANOTHER if rules else MISSED
    ranked = sorted(found, key=lambda f: f["rule"] != specimen.rule)
    text = ranked[0]["sentence"] if ranked else ""
    return Row(specimen=specimen, result=result, rules=rules, text=text, blocks=any(f["blocks"] for f in found))


def spoken(specimen: Specimen, report: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """
    Findings of this kernel that have to be seen, and that its honest predecessor did not show. A time of which too
    little is known blames nobody here: it is the machine's doing as often as not.
    """
    for finding in report["findings"]:
        new = not finding["pre_existing"] and finding["level"] in ("warn", "fail")
        open_time = finding["undecided"] and finding["rule"].startswith("slower-")
        if finding["kernel"] == specimen.name and new and not open_time:
            yield finding


def lines(rows: Sequence[Row], *, verbose: bool = False) -> Iterator[str]:
    """The scorecard; its last line is the sum."""
    width = max((len(r.specimen.name) for r in rows), default=0)
    for each in sorted(rows, key=lambda r: (r.specimen.honest, r.specimen.kind)):
        wanted = "honest" if each.specimen.honest else each.specimen.rule
        said = f" ({', '.join(each.rules)})" if each.rules and each.result != NAMED else ""
        soft = "" if each.blocks or not each.rules else ", blocks nothing"
        yield f"{each.specimen.name:{width}}  {each.specimen.kind:8} {wanted:20} {each.result}{said}{soft}"
        if each.result in (MISSED, ALARM) and each.specimen.missed:
            yield f"{'':{width}}  {each.specimen.missed}"
        if each.text and (verbose or each.result in (ALARM, ANOTHER)):
            yield f"{'':{width}}  {each.text}"
    yield from notes(rows)
    yield summary(rows)


def notes(rows: Iterable[Row]) -> Iterator[str]:
    for each in rows:
        if each.specimen.missed and each.result in (NAMED, ANOTHER, QUIET):
            yield f"{each.specimen.name} is judged rightly now: take its line `Missed:` out"


def summary(rows: Sequence[Row]) -> str:
    due = [r for r in rows if r.result in DUE]
    honest = [r for r in rows if r.result in (QUIET, ALARM)]
    named, another, missed = (count(due, result) for result in DUE)
    return (
        f"zoo: {len(due)} specimens, {named} by the named rule, {another} by another, {missed} missed; "
        f"{len(honest)} honest, {count(honest, ALARM)} false alarms"
    )


def count(rows: Iterable[Row], result: str) -> int:
    return sum(r.result == result for r in rows)


def unexpected(rows: Iterable[Row]) -> list[Row]:
    """Missed specimens and false alarms that no docstring excuses."""
    return [r for r in rows if r.result in (MISSED, ALARM) and not r.specimen.missed]


def ended_well(rows: Sequence[Row]) -> bool:
    caught = [r for r in rows if r.result in (NAMED, ANOTHER)]
    return not unexpected(rows) and count(caught, NAMED) >= LEAST_NAMED * len(caught)
