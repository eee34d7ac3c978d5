"""How much a worker may take of this machine, and the watch that notices when it takes more, with its children."""

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from kgate.protocol import Reason
from kgate.runner.process import Child, descendants

GIB: Final = 1 << 30
MEMORY_SHARE: Final = 0.8  # of the machine; what is left is the gate's and the page cache's
LOOK_EVERY_S: Final = 0.2  # /proc is not read more often: its cost would show in the times of a small machine
FREE_SHARE: Final = 0.5  # of what is free on the disk when a process begins, it may take no more


def machine_bytes() -> int:
    """Memory of this machine, or of the control group it is confined to, whichever is less."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    total = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemTotal:"))
    with suppress(OSError, ValueError):
        total = min(total, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return total


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Of one process. A case's own deadline is its job's `timeout_s`."""

    startup_s: float = 120.0  # to the first case: imports, and the first touch of a device
    ending_s: float = 10.0  # after the last answer; then it is ended, and nobody is blamed
    log_bytes: int = 64 << 20
    replies_bytes: int = 64 << 20
    memory_bytes: int = field(default_factory=lambda: int(MEMORY_SHARE * machine_bytes()))  # anonymous, resident
    processes: int = 8192  # at once
    disk_bytes: int = 64 * GIB  # in its control directory and its caches


def overdue(missed: str, allowed_s: float, *, of_case: bool) -> str:
    """The end of a sentence about a process, with whose number it was ended by."""
    whose = " (`timeout_s` of the manifest)" if of_case else ""
    return f"{missed} within {allowed_s:g} s{whose}, and was ended"


class Guard:
    """
    Looks at one process's log, and at the memory and the number of all that it has started. RLIMIT_AS would do for the
    memory but for CUDA, which maps terabytes. `folders`: where it may write; they are measured only where the disk that
    holds the first has become fuller by as much as the process may take.
    """

    def __init__(self, child: Child, limits: Limits, folders: Sequence[Path] = ()) -> None:
        self.child = child
        self.limits = limits
        self.folders = folders
        self.next_look = 0.0
        self.free_bytes = free_bytes(folders)

    def broken(self) -> tuple[Reason, str] | None:
        """Which limit does not hold any more, as a reason and the end of a sentence about the process."""
        if time.monotonic() < self.next_look:
            return None
        self.next_look = time.monotonic() + LOOK_EVERY_S
        with suppress(OSError):
            if self.child.log.lstat().st_size > self.limits.log_bytes:
                return "bad-reply", f"wrote more than {self.limits.log_bytes >> 20} MiB to its output, and was ended"
        used = count = 0
        for pid in descendants(self.child.pid):
            used, count = used + anonymous_bytes(pid), count + 1
            if count > self.limits.processes:
                return "bad-reply", f"ran more than {self.limits.processes} processes at once, and was ended"
        if used > self.limits.memory_bytes:
            limit = f"{self.limits.memory_bytes / GIB:.1f} GiB"
            return "out-of-memory", f"held {used / GIB:.1f} GiB of memory where {limit} are allowed, and was ended"
        return self.fills_disk()

    def fills_disk(self) -> tuple[Reason, str] | None:
        allowed = min(self.limits.disk_bytes, int(FREE_SHARE * self.free_bytes))
        if self.folders and self.free_bytes - free_bytes(self.folders) > allowed:
            held = sum(size_bytes(folder) for folder in self.folders)
            if held > allowed:
                said = f"wrote {held / GIB:.1f} GiB where {allowed / GIB:.1f} GiB are allowed, and was ended"
                return "bad-reply", said
        return None


def free_bytes(folders: Sequence[Path]) -> int:
    """On the file system of the first; 0 if that cannot be told."""
    with suppress(OSError, IndexError):
        found = os.statvfs(folders[0])
        return found.f_bavail * found.f_frsize
    return 0


def size_bytes(folder: Path) -> int:
    """Of all files in it, links not followed, as the disk has them."""
    found = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                found += os.lstat(os.path.join(place, name)).st_blocks * 512  # noqa: PTH118  for thousands of files
    return found


def anonymous_bytes(pid: int) -> int:
    """RssAnon of a process (proc_pid_status(5)); 0 if it is gone."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text(errors="replace").splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    return 0
