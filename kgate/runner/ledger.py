"""
What a run has found out, line by line as it comes, so that a killed run is gone on with and not begun again.

One file per key, `.kgate/<key>.jsonl`; only ever appended to. The last line of a kind and a name counts.
"""

import errno
import fcntl
import json
import os
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from kgate.errors import HostError
from kgate.runner.shelf import unwritable
from kgate.wire import ProtocolError

# A disk takes 1 to 8 ms for each, of which a run of a hundred cases would make thousands.
SYNC_S = 1.0
T = TypeVar("T")
JSON = Any  # what json.loads gives, without NaN and infinities
NO_FILE = -1


class Ledger:
    """An open ledger; nobody else can open the same file meanwhile."""

    def __init__(self, path: Path, descriptor: int, entries: dict[tuple[str, str], JSON], chapter: str = "") -> None:
        self.path = path
        self.descriptor = descriptor
        self.entries = entries
        self.chapter = chapter
        self.synced = 0.0

    def within(self, chapter: str) -> "Ledger":
        """The same file, where nothing of other chapters is found: what is measured a second time."""
        return Ledger(self.path, self.descriptor, self.entries, chapter)

    def full(self, kind: str) -> str:
        return f"{self.chapter} {kind}" if self.chapter else kind

    @classmethod
    def open(cls, path: Path) -> "Ledger":
        """
        Opened for going on, or created. A torn last line, of a run that was killed while writing, is cut off.

        Raises HostError if the folder cannot be written, another run holds the file, or it is no ledger.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise HostError(f"{path}: cannot be written ({error.strerror}); kgate keeps its results there") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            data = path.read_bytes()
            whole = data[: data.rfind(b"\n") + 1]
            entries = parsed(path, whole)
            os.ftruncate(descriptor, len(whole))
        except BlockingIOError as error:
            os.close(descriptor)
            raise HostError(f"{path}: another run of the same commits is using it; wait for that run to end") from error
        except OSError as error:
            os.close(descriptor)
            raise HostError(f"{path}: cannot be read ({error.strerror}); kgate keeps its results there") from error
        except BaseException:
            os.close(descriptor)
            raise
        return cls(path, descriptor, entries)

    @classmethod
    def recalled(cls, path: Path) -> "Ledger":
        """
        For reading only, also while a run is writing it, whose torn last line is left out; what is recorded afterwards
        stays in memory. Raises HostError if it cannot be read or is no ledger.
        """
        try:
            data = path.read_bytes()
        except OSError as error:
            raise HostError(f"{path}: cannot be read ({error.strerror}); name a folder of results") from error
        return cls(path, NO_FILE, parsed(path, data[: data.rfind(b"\n") + 1]))

    def record(self, kind: str, name: str, value: JSON) -> None:
        """
        Written when this returns, so that no kill of this process loses it; on disk at the latest by the first record
        that comes SYNC_S later, or by `close`. Raises HostError if it cannot be written, ValueError for NaN or
        infinity.
        """
        kind = self.full(kind)
        line = line_of(kind, name, value)
        if self.descriptor != NO_FILE:
            self.append(line)
        self.entries[kind, name] = json.loads(line)["value"]

    def append(self, line: bytes) -> None:
        try:
            if os.write(self.descriptor, line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            if time.monotonic() - self.synced >= SYNC_S:
                os.fsync(self.descriptor)
                self.synced = time.monotonic()
        except OSError as error:
            raise unwritable(self.path, error) from error

    def forget(self, cases: Collection[str], aside: Path) -> None:
        """
        Leave out all that is known of `cases`, whose names end the entries' own. The file as it was is kept at `aside`,
        where anything is left out.

        The last that is done with this ledger: what is recorded afterwards would go to the file put aside.
        """
        aside.unlink(missing_ok=True)
        if not cases:
            return
        ends = tuple(f"|{case}" for case in cases)
        left = {key: value for key, value in self.entries.items() if not key[1].endswith(ends)}
        partial = self.path.with_suffix(".partial")
        try:
            partial.write_bytes(b"".join(line_of(*key, value) for key, value in left.items()))
            os.link(self.path, aside)
            partial.replace(self.path)
        except OSError as error:
            raise unwritable(self.path, error) from error
        self.entries = left

    def recall(self, kind: str, name: str) -> JSON | None:
        return self.entries.get((self.full(kind), name))

    def read(self, kind: str, name: str, reader: Callable[[JSON], T]) -> T | None:
        """What was recorded as `reader` understands it. Raises HostError where another kgate has written it."""
        value = self.recall(kind, name)
        try:
            return None if value is None else reader(value)
        except ProtocolError as error:
            text = f"{self.path}: was written by another version of kgate; delete it"
            raise HostError(text) from error

    def all(self, kind: str) -> Mapping[str, JSON]:
        """By name, in the order in which the names were first recorded."""
        return {name: value for (k, name), value in self.entries.items() if k == self.full(kind)}

    def close(self) -> None:
        if self.descriptor != NO_FILE:
            with suppress(OSError):  # what has been written is read again all the same
                os.fsync(self.descriptor)
            os.close(self.descriptor)
            self.descriptor = NO_FILE

    def __enter__(self) -> "Ledger":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def in_use(path: Path) -> bool:
    """Whether a run is writing to it."""
    with suppress(OSError), path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def line_of(kind: str, name: str, value: JSON) -> bytes:
    return json.dumps({"kind": kind, "name": name, "value": value}, allow_nan=False).encode("ascii") + b"\n"


def parsed(path: Path, data: bytes) -> dict[tuple[str, str], JSON]:
    entries: dict[tuple[str, str], JSON] = {}
    for number, line in enumerate(data.splitlines(), start=1):
        entry = None
        with suppress(ValueError):
            entry = json.loads(line)
        if not isinstance(entry, dict) or set(entry) != {"kind", "name", "value"}:
            raise HostError(f"{path}:{number}: is no line of a ledger; delete the file to start anew")
        entries[str(entry["kind"]), str(entry["name"])] = entry["value"]
    return entries
