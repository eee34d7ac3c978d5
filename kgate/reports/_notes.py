"""Notes in few lines: what was decided by name, what could not be decided in counts."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from kgate.figures import count
from kgate.model import BASE, FALLBACK, HEAD, Arm, Finding, Report
from kgate.reports._cells import named, versus

NO_BASELINE = "no-baseline"
BY_NAME = 7  # with the counts below them and a heading, about ten lines


@dataclass(frozen=True, kw_only=True)
class Rival:
    """What the custom path is slower than, in words; `arm` is what it was timed against in this run."""

    words: str
    arm: Arm | None = None


RIVALS: Mapping[str, Rival] = {
    "slower-than-base": Rival(words="base", arm=BASE),
    "slower-than-fallback": Rival(words="the fallback", arm=FALLBACK),
    "slower-than-baseline": Rival(words="the baseline"),
}


def slower_cases(notes: Iterable[Finding]) -> str:
    """`1 case noted as slower than base, 12 cases noted as slower than the fallback`; "" where none was shown to be."""
    numbers = counted(note for note in notes if note.rule in RIVALS and not note.undecided)
    return ", ".join(
        f"{count(number, 'case')} noted as slower than {RIVALS[rule].words}" for (rule, _), number in numbers.items()
    )


def folded(notes: Iterable[Finding]) -> str:
    """`1 slower-than-base, 10 slower-than-base undecided, 3 no-baseline`."""
    return ", ".join(
        f"{number} {rule}" + (" undecided" if undecided else "") for (rule, undecided), number in counted(notes).items()
    )


def counted(notes: Iterable[Finding]) -> dict[tuple[str, bool], int]:
    """How many of each (rule, undecided)."""
    numbers: dict[tuple[str, bool], int] = {}
    for note in notes:
        key = (note.rule, note.undecided)
        numbers[key] = numbers.get(key, 0) + 1
    return numbers


def heading(report: Report, notes: Iterable[Finding]) -> str:
    """Says why a latency finding is a note, where that is because of the device."""
    rules = [note.rule for note in sorted(notes, key=lambda note: note.undecided) if note.rule in RIVALS]
    if not rules or report.run.on_gpu:
        return "notes:"
    return f"notes (latency is only noted on a CPU; `policy: {{{rules[0]}: fail}}` makes it block):"


def lines(report: Report, notes: Iterable[Finding]) -> Iterator[str]:
    """A line each, unescaped."""
    found = tuple(notes)
    bare = [note for note in found if note.rule == NO_BASELINE and note.kernel]
    decided = [note for note in found if not note.undecided and note not in bare]
    for note in decided[:BY_NAME]:
        yield f"{note.rule}  {note.name}  {told(report, note)}"
    if left_open := ", ".join(
        f"{number} undecided against {RIVALS[rule].words}" if rule in RIVALS else f"{number} {rule}"
        for (rule, undecided), number in counted(found).items()
        if undecided
    ):
        yield left_open
    if bare:
        yield f"{NO_BASELINE}  {count(len(bare), 'kernel')}; `kgate baseline record` stores one"
    more = len(decided) - BY_NAME
    yield f"{more} more with --format markdown" if more > 0 else "in full with --format markdown"


def told(report: Report, note: Finding) -> str:
    """`+17.7 ±2.2 % against base` where that is all, else the whole sentence."""
    rival = RIVALS.get(note.rule)
    latency = next((found for case, found in report.run.latency.items() if named(case) == note.name), None)
    ratio = latency.ratio(HEAD.name, rival.arm.name) if rival and rival.arm and latency else None
    return f"{versus(ratio)} against {note.rule.removeprefix('slower-than-')}" if rival and ratio else note.sentence
