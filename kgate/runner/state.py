"""The state folder of a repository, `.kgate`: one run at a time uses it, and what old runs have left goes away."""

import fcntl
import os
import shutil
import time
from contextlib import suppress
from pathlib import Path

from kgate.errors import HostError

STATE = ".kgate"
LOCK = "lock"
SPENT = ".spent.jsonl"
LEDGER = "ledger.jsonl"  # of a results folder: a copy
PROBES = "probe-*"  # of runs that were killed while they asked the interpreter who it is
DAY_S = 86_400.0
OUTPUTS_DAYS = 1  # of an interrupted run: gigabytes, and soon nobody goes on with that content
LEDGER_DAYS = 14


def folder_at(root: Path) -> Path:
    """
    The state folder at the git root, made if it is not there, ignored by git through a file of its own. Raises
    HostError for a link, through which a change would have other folders written to and emptied.
    """
    state = root / STATE
    for path in (state, state / ".gitignore"):
        if path.is_symlink():
            raise HostError(f"{path}: is a link; remove it, kgate makes that folder itself")
    try:
        state.mkdir(exist_ok=True)
        (state / ".gitignore").write_text("*\n")
    except OSError as error:
        raise HostError(f"{state}: cannot be written ({error.strerror}); kgate keeps its state there") from error
    return state


def hold(state: Path) -> int:
    """
    A descriptor that keeps every other run out of this folder until it is closed, at the latest by the process's end.

    Taken before anything else is written: runs of other commits share base's work tree, builds and the machine's clock.
    Raises HostError if another run holds it.
    """
    path = state / LOCK
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise HostError(f"{path}: cannot be written ({error.strerror}); kgate keeps its state there") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        raise HostError(f"{state}: another run in this repository is using it; wait for that run to end") from error
    return descriptor


def spent(ledger: Path) -> Path:
    """Where a ledger stays as it was, before what the next run has to measure anew is taken out of it."""
    return ledger.with_name(f"{ledger.stem}{SPENT}")


def untrimmed(ledger: Path) -> Path:
    """Of a run that is over, all that it knew: also what the next run of its key will not go on with."""
    aside = spent(ledger)
    return aside if aside.is_file() else ledger


def sweep(state: Path, key: str) -> None:
    """Take away what no run will read again; the caller holds the folder, and `key` is its own run."""
    for folder in state.glob(PROBES):
        shutil.rmtree(folder, ignore_errors=True)
    for ledger in state.glob("*.jsonl"):
        if ledger.stem == key:
            continue
        with suppress(OSError):
            age_days = (time.time() - ledger.stat().st_mtime) / DAY_S
            if age_days > OUTPUTS_DAYS:
                shutil.rmtree(state / ledger.stem, ignore_errors=True)
            if age_days > LEDGER_DAYS:
                ledger.unlink()
