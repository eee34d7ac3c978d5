"""How much a worker may take of this machine, and the watch that notices when it takes more."""

import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from kgate.protocol import Reason
from kgate.runner.process import Child

GIB: Final = 1 << 30
MEMORY_SHARE: Final = 0.8  # of the machine; what is left is the gate's and the page cache's
LOOK_EVERY_S: Final = 0.2  # /proc is not read more often: its cost would show in the times of a small machine


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


def overdue(missed: str, allowed_s: float, *, of_case: bool) -> str:
    """The end of a sentence about a process, with whose number it was ended by."""
    whose = " (`timeout_s` of the manifest)" if of_case else ""
    return f"{missed} within {allowed_s:g} s{whose}, and was ended"


class Guard:
    """Looks at one process's log and memory. RLIMIT_AS would do the latter but for CUDA, which maps terabytes."""

    def __init__(self, child: Child, limits: Limits) -> None:
        self.child = child
        self.limits = limits
        self.next_look = 0.0

    def broken(self) -> tuple[Reason, str] | None:
        """Which limit does not hold any more, as a reason and the end of a sentence about the process."""
        if time.monotonic() < self.next_look:
            return None
        self.next_look = time.monotonic() + LOOK_EVERY_S
        with suppress(OSError):
            if self.child.log.lstat().st_size > self.limits.log_bytes:
                return "bad-reply", f"wrote more than {self.limits.log_bytes >> 20} MiB to its output, and was ended"
        used = anonymous_bytes(self.child.pid)
        if used > self.limits.memory_bytes:
            limit = f"{self.limits.memory_bytes / GIB:.1f} GiB"
            return "out-of-memory", f"held {used / GIB:.1f} GiB of memory where {limit} are allowed, and was ended"
        return None


def anonymous_bytes(pid: int) -> int:
    """RssAnon of a process (proc_pid_status(5)); 0 if it is gone."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text(errors="replace").splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    return 0
