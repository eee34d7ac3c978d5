"""What was put in and what the gate said of it, for people and for programs."""

import json
import textwrap
from collections.abc import Iterator
from typing import Any

from tabulate import tabulate

from kgate import __version__
from kgate.escape import plain
from kgate.figures import change, count, margin, time_of
from kgate.injection import Injected
from kgate.injection.variants import Shown
from kgate.margins import MARGINS
from kgate.model import Decision

HEADERS = ("way", "wanted", "measured", "whole call", "seen", "launches", "the rule says")
ALIGNED = ("left", *("right",) * 5, "left")
WIDTH = 110
LEGEND = (
    "measured: by the timer, in launches of their own; whole call: as the host waits for it, where a delay of the host "
    "shows and the device's time has none of it; seen: what the rule went by"
)


def text(found: Injected) -> str:
    low, high = margin(MARGINS.slower_above), margin(MARGINS.waved_under)
    rows = [cells(shown) for shown in found.shown if not shown.why]
    lines = [
        f"{plain(found.case)} on {found.device}: {time_of(found.plain_ns)} as it is, by {plain(found.method)}; "
        f"{count(found.tests, 'slowed form')} asked together",
        "",
        *tabulate(rows, headers=HEADERS, colalign=ALIGNED if rows else None, disable_numparse=True).splitlines(),
        *wrapped(f"{LEGEND}; it blocks what is shown above {low} and lets pass what is shown below {high}"),
        *(line for shown in found.shown for line in details(shown)),
    ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def cells(shown: Shown) -> tuple[str, ...]:
    ratio = shown.ratio
    return (
        shown.variant.way,
        wanted(shown),
        "–" if shown.measured is None else change(shown.measured),
        "–" if shown.call is None else change(shown.call),
        "–" if ratio is None else change(ratio.median),
        "–" if ratio is None else str(ratio.launches),
        said(shown),
    )


def wanted(shown: Shown) -> str:
    return "" if shown.variant.wanted is None else f"+{shown.variant.wanted:g} %"


def said(shown: Shown) -> str:
    ratio = shown.ratio
    if ratio is None:
        return "nothing: it was not timed"
    borne = ", confirmed" if ratio.confirmation is not None and ratio.confirmation.holds else ""
    return f"{ratio.decision.value}{borne}" + (f": {ratio.reason}" if ratio.decision is Decision.INCONCLUSIVE else "")


def details(shown: Shown) -> Iterator[str]:
    name = f"{shown.variant.way} {wanted(shown)}".strip()
    if shown.why:
        yield from wrapped(f"not put in: {name}: {plain(shown.why)}")
    elif shown.variant.what:
        yield from wrapped(f"{name}: {plain(shown.variant.what)}")


def wrapped(line: str) -> list[str]:
    return textwrap.wrap(line, WIDTH, subsequent_indent="  ", break_on_hyphens=False) or [""]


def document(found: Injected) -> str:
    body = {
        "kgate": __version__,
        "case": found.case,
        "device": found.device,
        "method": found.method,
        "plain_ns": found.plain_ns,
        "tests": found.tests,
        "doses": [one(shown) for shown in found.shown],
    }
    return json.dumps(body, indent=2, ensure_ascii=False) + "\n"


def one(shown: Shown) -> dict[str, Any]:
    variant, ratio = shown.variant, shown.ratio
    return {
        "way": variant.way,
        "wanted_percent": variant.wanted,
        "amount": variant.dose.amount if variant.dose else None,
        "picks": dict(variant.picks),
        "measured": shown.measured,
        "whole_call": shown.call,
        "seen": ratio.median if ratio else None,
        "launches": ratio.launches if ratio else 0,
        "decision": ratio.decision.value if ratio else None,
        "confirmed": bool(ratio and ratio.confirmation and ratio.confirmation.holds),
        "why_not": shown.why,
    }


FORMATS = {"text": text, "json": document}
