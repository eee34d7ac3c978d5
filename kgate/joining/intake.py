"""
Results of other machines, read as what they are: bytes that code of a change may have written.

A folder is taken whole or not at all. Its name and the names in it are known ones, its files plain and of bounded size,
its lines strict JSON of known kinds. What was decided on the other machine (verdicts, looks, owners, which cases ran
the same code) is left out: it is decided again from base's tree.
"""

import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kgate import premises, wire
from kgate.latency import AGAIN
from kgate.runner.ledger import NO_FILE, Ledger
from kgate.runner.state import LEDGER
from kgate.wire import ProtocolError

FOLDER = re.compile(r"kgate-(?P<leg>[a-z0-9][a-z0-9.-]{0,39}-[0-9]{1,3}of[0-9]{1,3})-a(?P<attempt>[0-9]{1,4})")
MEMBERS = frozenset(
    {LEDGER, "report.json", "report.txt", "comment.md", ".gitignore"}
)  # of them only the ledger is read
FOLDERS_LIMIT = 1024
LEDGER_LIMIT_BYTES = 256 << 20
LINE_LIMIT_BYTES = 32 << 20
LINES_LIMIT = 500_000
DEPTH_LIMIT = 40
TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[][{}]', re.DOTALL)
NAME_LIMIT = 1000  # letters of an entry's name
SEEN = ("outcome", "comparison", "launch", "control", "sample", "timed", "tuning", "quiet")
KEPT = (premises.KIND, premises.ATTEMPT, *SEEN, *(f"{AGAIN} {kind}" for kind in SEEN))
DECIDED_AGAIN = ("look", "identity", premises.OWNERSHIP, premises.STANDING)
KNOWN = frozenset({*KEPT, *DECIDED_AGAIN, *(f"{AGAIN} {kind}" for kind in DECIDED_AGAIN)})


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """
    One folder of results. `leg` and `attempt` are its name's, "" and 0 where it is none of the names that an artifact
    of a leg has. `ledger` None: refused, and `refused` says why as a clause.
    """

    folder: str
    leg: str = ""
    attempt: int = 0
    ledger: Ledger | None = None
    refused: str = ""


class Refused(ValueError):
    """Not to be taken; the text is a clause without anything from the file, or with it in a few printable letters."""


def deliveries(folders: Sequence[Path]) -> tuple[Delivery, ...]:
    """Of each folder that holds results, and of each below one that holds none."""
    found = [folder for given in folders for folder in of_results(given)]
    if len(found) > FOLDERS_LIMIT:
        return (Delivery(folder=str(folders[0]), refused=f"more than {FOLDERS_LIMIT} folders"),)
    return tuple(taken(folder) for folder in found)


def of_results(given: Path) -> Iterator[Path]:
    if os.path.lexists(given / LEDGER) or not given.is_dir() or given.is_symlink():
        yield given
        return
    yield from sorted(given.iterdir())


def taken(folder: Path) -> Delivery:
    name = FOLDER.fullmatch(folder.name)
    found = Delivery(
        folder=printable(folder.name), leg=name["leg"] if name else "", attempt=int(name["attempt"]) if name else 0
    )
    try:
        members(folder)
        return replace(found, ledger=ledger(folder / LEDGER))
    except (Refused, ProtocolError) as error:
        return replace(found, refused=printable(str(error), 200))


def members(folder: Path) -> None:
    """Raises Refused for a folder that holds anything but files that `kgate check --results` writes."""
    if not stat.S_ISDIR(mode_of(folder)):
        raise Refused("is no folder")
    names = [path.name for path in folder.iterdir()]
    if strange := sorted(set(names) - MEMBERS):
        raise Refused(f"holds {printable(strange[0])!r}, which kgate does not write")
    if LEDGER not in names:
        raise Refused(f"holds no {LEDGER}")
    for name in names:
        if not stat.S_ISREG(mode_of(folder / name)):
            raise Refused(f"{name} is no plain file")


def mode_of(path: Path) -> int:
    try:
        return path.lstat().st_mode
    except OSError as error:
        raise Refused(f"{printable(path.name)} cannot be looked at ({error.strerror})") from error


def ledger(path: Path) -> Ledger:
    """What was seen; raises Refused or ProtocolError."""
    entries: dict[tuple[str, str], Any] = {}
    for number, line in enumerate(lines(contents(path)), start=1):
        if number > LINES_LIMIT:
            raise Refused(f"more than {LINES_LIMIT} lines")
        kind, name, value = entry(line, number)
        if kind in KEPT:
            entries[kind, name] = value
    return Ledger(path, NO_FILE, entries)


def contents(path: Path) -> bytes:
    """Of a plain file that is no link now either, whatever it was a moment ago."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise Refused(f"{LEDGER} is no plain file")
            data = file.read(LEDGER_LIMIT_BYTES + 1)
    except OSError as error:
        raise Refused(f"{LEDGER} cannot be read ({error.strerror})") from error
    if len(data) > LEDGER_LIMIT_BYTES:
        raise Refused(f"{LEDGER} has more than {LEDGER_LIMIT_BYTES >> 20} MiB")
    return data


def lines(data: bytes) -> Iterable[bytes]:
    """Without a torn last line, of a run that was killed while it wrote."""
    return data[: data.rfind(b"\n") + 1].split(b"\n")[:-1]


def entry(line: bytes, number: int) -> tuple[str, str, Any]:
    if len(line) > LINE_LIMIT_BYTES:
        raise Refused(f"line {number} has more than {LINE_LIMIT_BYTES >> 20} MiB")
    if depth(line) > DEPTH_LIMIT:
        raise Refused(f"line {number} is nested more than {DEPTH_LIMIT} deep")
    match wire.parsed(line, pairs=once):
        case {"kind": str(kind), "name": str(name), "value": value, **rest} if not rest:
            if kind not in KNOWN:
                raise Refused(f"line {number} is of an unknown kind, {printable(kind)!r}")
            if len(name) > NAME_LIMIT or not name.isprintable():
                raise Refused(f"line {number} has a name that no entry has")
            return kind, name, value
    raise Refused(f"line {number} is no line of a ledger")


def once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys stand once each: which of two values counts is for no reader to guess."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ProtocolError("a key stands twice in an object")
    return found


def depth(line: bytes) -> int:
    """How deep it nests; 0 where it has too few brackets for it to matter. What stands in texts is passed over."""
    if line.count(b"[") + line.count(b"{") <= DEPTH_LIMIT:
        return 0
    level = most = 0
    for token in TOKENS.finditer(line):
        level += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(token[0], 0)
        most = max(most, level)
    return most


def printable(text: str, most: int = 60) -> str:
    return "".join(c if c.isprintable() else "?" for c in text[:most])
