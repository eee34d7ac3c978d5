"""An examination for people, on one screen, and for programs. What a machine said is escaped for a terminal."""

import dataclasses
import json
import textwrap
from collections.abc import Iterator, Sequence

from kgate import __version__
from kgate.doctor import Examination, Line, Prospect, State
from kgate.doctor.prospects import NO_GPU
from kgate.escape import plain
from kgate.figures import count

WIDTH = 100
MARGIN = 10  # the column of states
NAMES = 4  # of kernels in one line
COMPILE = "What does not run for want of a GPU can still be compiled: `kgate compile`."


def text(found: Examination) -> str:
    """The sum first, then every line, then what runs here. What is not ok has "why → what to do"."""
    every = (*found.lines, *found.repository)
    room = max(len(line.topic) for line in every)
    drawn = [f"kgate doctor: {headline(found)}", ""]
    drawn += [row for line in found.lines for row in said(line, room)]
    drawn += ["", f"Kernels of {plain(found.manifest)}:" if found.manifest else "No manifest here; by DSL:"]
    for reason, group in grouped(found.prospects).items():
        drawn += outlook(reason, group)
    if any(prospect.reason == NO_GPU for prospect in found.prospects):
        drawn += [COMPILE]
    if found.repository:
        drawn += ["", "On GitHub:", *(row for line in found.repository for row in said(line, room))]
    return "\n".join(drawn) + "\n"


def headline(found: Examination) -> str:
    every = (*found.lines, *found.repository)
    parts = [f"{number} {state.value}" for state in State if (number := tally(every, state))]
    if not found.manifest:
        return ", ".join(parts)
    kernels = {name for prospect in found.prospects for name in prospect.kernels}
    here = {name for prospect in found.prospects if prospect.runs for name in prospect.kernels}
    return f"{', '.join(parts)}; {len(here)} of {count(len(kernels), 'kernel')} can run here"


def tally(lines: Sequence[Line], state: State) -> int:
    return sum(line.state is state for line in lines)


def said(line: Line, room: int) -> Iterator[str]:
    yield from wrapped(f"{line.state.value:<{MARGIN}}{line.topic:<{room}}  {plain(line.found)}", MARGIN + room + 2)
    if line.state is not State.OK:
        yield from wrapped(f"{'':{MARGIN}}{line.why} → {plain(line.fix)}", MARGIN + 2)


def grouped(prospects: Sequence[Prospect]) -> dict[str, list[Prospect]]:
    """By reason, in the order given."""
    groups: dict[str, list[Prospect]] = {}
    for prospect in prospects:
        groups.setdefault(prospect.reason, []).append(prospect)
    return groups


def outlook(reason: str, group: Sequence[Prospect]) -> Iterator[str]:
    """A line for each DSL, below the reason that they share."""
    yield from wrapped(f"{'not here':<{MARGIN}}{plain(reason)}:" if reason else "run here:", MARGIN + 2)
    for dsl in dict.fromkeys(prospect.dsl for prospect in group):
        targets = ", ".join(plain(prospect.target) for prospect in group if prospect.dsl == dsl)
        yield from wrapped(f"{'':{MARGIN}}{dsl} on {targets}{named(dsl, group)}", MARGIN + 2)


def named(dsl: str, group: Sequence[Prospect]) -> str:
    names = list(dict.fromkeys(name for prospect in group if prospect.dsl == dsl for name in prospect.kernels))
    if not names:
        return ""
    more = f" and {len(names) - NAMES} more" if len(names) > NAMES else ""
    return f": {', '.join(map(plain, names[:NAMES]))}{more}"


def wrapped(line: str, further: int) -> list[str]:
    """A path that is longer than a line stays whole, to be copied."""
    indent = " " * further
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False) or [""]


def document(found: Examination) -> str:
    """JSON, each line with all of its fields."""
    body = {
        "kgate": __version__,
        "manifest": found.manifest,
        "lines": [dataclasses.asdict(line) for line in found.lines],
        "repository": [dataclasses.asdict(line) for line in found.repository],
        "kernels": [{**dataclasses.asdict(prospect), "runs": prospect.runs} for prospect in found.prospects],
    }
    return json.dumps(body, indent=2) + "\n"


FORMATS = {"text": text, "json": document}
