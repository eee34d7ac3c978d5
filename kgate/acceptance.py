"""
`kgate accept`: a slowdown that is the price of something, as an entry of the manifest, for review.

It blocks until an owner has approved the change that adds it, and again when its day has passed.
"""

import json
import re
from dataclasses import dataclass
from datetime import date, datetime, timezone
from pathlib import Path

from kgate.errors import HostError, ManifestError, UsageError
from kgate.load import document
from kgate.load import manifest as manifests
from kgate.load.document import Fields
from kgate.load.hints import nearest
from kgate.model import Manifest

BOUND = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(%?)")
MOST = 10.0
KEY = "accepted"


@dataclass(frozen=True, kw_only=True)
class Order:
    """`bound` as typed: `8%` or `0.08`; `until` as YYYY-MM-DD."""

    manifest: Path
    case: str
    rule: str
    bound: str
    reason: str
    until: str


def accept(order: Order) -> str:
    """Write the entry, and say what follows. Raises UsageError, or HostError where the file cannot be written."""
    manifest = manifests.load(order.manifest)
    case, bound = known_case(manifest, order.case), bound_of(order.bound)
    refuse_past(order.until)
    if not order.reason.strip():
        raise UsageError("--reason: is empty; say what the time buys, for the owner who reviews it")
    if (known := next((e for e in manifest.accepted if e.identity == (order.rule, case)), None)) is not None:
        raise UsageError(f"{known.place}: {order.rule} of {case} is accepted already; change that line")
    line = entry(case, order, bound)
    written(manifest, line)
    name = manifest.path.relative_to(manifest.root)
    return (
        f"{name}: {order.rule} of {case} is accepted up to {bound:+.1%} until {order.until}; review and commit this "
        "file. It counts when an owner has approved the change, or from the next change on"
    )


def known_case(manifest: Manifest, name: str) -> str:
    """Without a device, which an entry is not about."""
    case = name.partition("@")[0]
    known = [f"{kernel.name}/{workload.name}" for kernel in manifest.kernels for workload in kernel.workloads]
    ends = ("", "/backward")
    if not any(case == f"{each}{end}" for each in known for end in ends):
        raise UsageError(f"{name}: no such case{nearest(case, known)}")
    return case


def bound_of(text: str) -> float:
    found = BOUND.fullmatch(text.strip())
    bound = float(found[1]) / (100 if found[2] else 1) if found else 0.0
    if not 0 < bound <= MOST:
        raise UsageError(f"--bound {text}: not above 0 and up to {MOST:.0%}; write 8% or 0.08")
    return round(bound, 6)


def refuse_past(until: str) -> None:
    try:
        day = date.fromisoformat(until)
    except ValueError as error:
        raise UsageError(f"--until {until}: not a day as YYYY-MM-DD") from error
    if day <= datetime.now(timezone.utc).date():
        raise UsageError(f"--until {until}: not after today; it would hold for nobody")


def entry(case: str, order: Order, bound: float) -> str:
    """JSON's strings are YAML's, whatever stands in them."""
    reason = json.dumps(order.reason, ensure_ascii=False)
    return (
        f"{{case: {json.dumps(case, ensure_ascii=False)}, rule: {order.rule}, bound: {bound:g}, reason: {reason}, "
        f"until: {order.until}}}"
    )


def written(manifest: Manifest, line: str) -> None:
    """Into the file as it is, comments and all. It is as it was where the result could not be read."""
    path, shown = manifest.path, manifest.path.relative_to(manifest.root).as_posix()
    top, data = document.read(path, shown)
    before = data.decode("utf-8")
    try:
        path.write_text(with_line(before, top, line, shown), encoding="utf-8")
        try:
            manifests.load(path)
        except ManifestError:
            path.write_text(before, encoding="utf-8")
            raise
    except OSError as error:
        raise HostError(f"{path}: cannot be written ({error.strerror}); mend its permissions") from error


def with_line(text: str, top: Fields, line: str, shown: str) -> str:
    """At the end of the list, or with a list of its own at the end of the file."""
    if KEY not in top:
        return f"{text.rstrip()}\n{KEY}:\n  - {line}\n"
    if not top[KEY]:
        raise UsageError(f"{shown}: `{KEY}: []` holds no line to write behind; take it out")
    lines = text.split("\n")
    last = max(mark.line for _, mark in top[KEY].marked())
    dash = re.match(r"\s*- ", lines[last - 1])
    if dash is None:
        raise UsageError(f"{shown}: write `{KEY}` as one line for each entry, each with its dash, and try again")
    end = next((n for n in range(last, len(lines)) if not deeper(lines[n], dash[0])), len(lines))
    return "\n".join([*lines[:end], f"{dash[0]}{line}", *lines[end:]])


def deeper(line: str, dash: str) -> bool:
    """Whether it belongs to the entry whose dash that is."""
    return len(line) - len(line.lstrip()) >= len(dash) and bool(line.strip())
