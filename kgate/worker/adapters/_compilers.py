"""What the compiler of a DSL did in this process, and whether an error came out of it."""

import re
import subprocess
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from kgate.worker.adapters import Compiles

VERSION = re.compile(r"\bV(\d+(?:\.\d+)+)")  # "Cuda compilation tools, release 12.9, V12.9.86"
VERSION_S = 10.0


class Meter(threading.local):
    """
    Counts compilations, told from cache hits by a function that only runs for the former; each thread on its own.

    A compilation that fails is one all the same.
    """

    fresh = False

    def __init__(self, tally: "Tally") -> None:
        self.tally = tally

    def compiling(self) -> None:
        """To be called from where nothing comes that is not compiled."""
        self.fresh = True

    @contextmanager
    def metered(self) -> Iterator[Callable[[], int | None]]:
        """Around what compiles or finds in a cache; gives the ns of the compilation, or None. Nothing nests."""
        self.fresh = False
        began_ns = time.perf_counter_ns()

        def taken() -> int | None:
            return time.perf_counter_ns() - began_ns if self.fresh else None

        try:
            yield taken
        finally:
            self.tally.add(taken())


class Tally:
    """Compilations of the whole process, on all of its threads. `hooked`: the compiler tells of them by now."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.count = 0
        self.ns = 0
        self.hooked = False

    def add(self, ns: int | None) -> None:
        """None for what did not compile."""
        if ns is not None:
            with self.lock:
                self.count += 1
                self.ns += ns

    def compiles(self) -> Compiles | None:
        return Compiles(count=self.count, ns=self.ns) if self.hooked else None


def passed(error: BaseException, package: str) -> set[str]:
    """Names of the functions that the error came through, of this module or of those below it."""
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    return {f.f_code.co_name for f in frames if f"{f.f_globals.get('__name__')}.".startswith(f"{package}.")}


def version_of(tool: str) -> str:
    """What a tool of CUDA says of itself, such as "12.9.86"; "" if it says nothing of the kind."""
    try:
        said = subprocess.run([tool, "--version"], capture_output=True, text=True, timeout=VERSION_S, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return ""
    found = VERSION.search(said)
    return found[1] if found else ""
