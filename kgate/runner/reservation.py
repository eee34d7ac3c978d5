"""
A lock on the host for each GPU, so that two runs of kgate never use one, whatever repositories or users they are of.

The files lie in a folder that all users share and nobody empties while a run lasts. Runs in two containers do not see
each other's; what they hold of the GPU shows in its memory.
"""

import errno
import fcntl
import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from kgate.errors import HostError
from kgate.model import Event

FOLDER = Path("/tmp")  # a fixed place is the point: TMPDIR may differ between two users
PATIENCE_S = 600.0
LOOK_S = 2.0
READABLE = 0o644


def reserved(
    gpus: Iterable[tuple[str, str]],
    emit: Callable[[Event], None],
    *,
    folder: Path = FOLDER,
    patience_s: float = PATIENCE_S,
    sleep: Callable[[float], None] = time.sleep,
) -> tuple[int, ...]:
    """
    Descriptors that keep other runs off these GPUs, by name and uuid, until they are closed. A GPU without a uuid is
    not locked. Raises HostError where another run keeps one for longer than `patience_s`.
    """
    held: list[int] = []
    try:
        # In one order for all runs, or two of them could wait for each other.
        for name, uuid in sorted(((n, u) for n, u in gpus if u), key=lambda gpu: gpu[1]):
            descriptor = opened(folder / f"kgate-gpu-{plain(uuid)}.lock", name, emit)
            if descriptor is not None:
                held.append(descriptor)
                wait(descriptor, name, emit, patience_s, sleep)
    except BaseException:
        for descriptor in held:
            os.close(descriptor)
        raise
    return tuple(held)


def opened(path: Path, name: str, emit: Callable[[Event], None]) -> int | None:
    """
    For reading, which is enough to lock it; None, and a note, where that is not allowed. Another user's file is opened
    and never created over: in a folder with the sticky bit Linux may refuse that (fs.protected_regular). A pipe in its
    place would be waited for until somebody writes.
    """
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    for more in (0, os.O_CREAT):
        try:
            descriptor = os.open(path, flags | more, READABLE)
        except OSError as error:
            if error.errno != errno.ENOENT or more:
                text = f"{name} is not locked against other runs: {path} cannot be opened ({error.strerror})"
                emit(Event(name="note", fields={"arm": "", "text": text}))
                return None
        else:
            if more:
                with suppress(PermissionError):  # another user has made it meanwhile
                    os.fchmod(descriptor, READABLE)  # whatever the umask, or no other user's run could lock it
            return descriptor
    return None


def wait(
    descriptor: int, name: str, emit: Callable[[Event], None], patience_s: float, sleep: Callable[[float], None]
) -> None:
    waited_s = 0.0
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if waited_s == 0.0:
                text = f"another run of kgate uses {name}: waiting for it, {patience_s:g} s at most"
                emit(Event(name="note", fields={"arm": "", "text": text}))
            if waited_s >= patience_s:
                text = f"{name}: another run of kgate has used it for {patience_s:g} s; wait for that run to end"
                raise HostError(text) from None
        else:
            return
        sleep(LOOK_S)
        waited_s += LOOK_S


def plain(uuid: str) -> str:
    """A worker's word, so that no path comes of it."""
    return "".join(letter for letter in uuid if letter.isalnum() or letter == "-")[:80]
