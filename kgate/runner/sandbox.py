"""
What stands between a worker and this machine: which walls this host can give, found out once a run.

The walls themselves are worker/confinement.py's, which is started in front of every process; see SECURITY.md for what
they hold.
"""

import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Final

import kgate
from kgate.errors import HostError, UsageError
from kgate.protocol import Walls

NONE, NAMESPACES, CONTAINER, AUTO = "none", "namespaces", "container", "auto"
ANSWER_S: Final = 60.0  # some 30 ms, but on a machine that is busy
SCRATCH_BYTES: Final = 2 << 30  # of memory, for what is written where changes pass
FILE_BYTES: Final = 1 << 34  # as much as a job may export
PROCESSES: Final = 8192  # threads as well: a torch of 128 cores starts some hundreds, a compiler as many again
# Where services listen: a mount that is read-only forbids nobody to talk to them.
SOCKETS: Final = "/run"
DEPTH, LOOKED_AT = 4, 5000  # /run/user/1000/podman/podman.sock; and a host's /run may hold whole file systems
FIX: Final = (
    "allow unprivileged user namespaces (kernel.unprivileged_userns_clone, user.max_user_namespaces,"
    " kernel.apparmor_restrict_unprivileged_userns, or the container's seccomp profile and masked /proc)"
)


@dataclass(frozen=True, kw_only=True)
class Sandbox:
    """
    `gaps`: what it does not hold on this host, as clauses; of a mode of none, why it is none, nothing if that was
    asked for. `passing`: folders whose changes go with the process. `masked`: sockets of services.
    """

    mode: str = NONE
    gaps: tuple[str, ...] = ()
    passing: tuple[str, ...] = ()
    masked: tuple[str, ...] = ()

    @property
    def confines(self) -> bool:
        return self.mode == NAMESPACES

    @property
    def remarks(self) -> tuple[str, ...]:
        if self.confines:
            return tuple(f"sandbox: {gap}" for gap in self.gaps)
        return tuple(f"sandbox: none, since {gap}" for gap in self.gaps)

    def walls(self, *, hidden: str, shown: Sequence[str], writable: Sequence[str]) -> Walls:
        return Walls(
            hidden=(hidden,),
            shown=tuple(dict.fromkeys(shown)),
            writable=tuple(dict.fromkeys(writable)),
            passing=self.passing,
            masked=self.masked,
            scratch_bytes=SCRATCH_BYTES,
            file_bytes=FILE_BYTES,
            processes=PROCESSES,
        )


def chosen(asked: str, needed: Sequence[str] = ()) -> Sandbox:
    """
    What this host can give; AUTO asks for the strongest. `needed`: what a worker has to be able to read.

    Raises UsageError for what this version does not do, HostError where namespaces were asked for and cannot be made.
    """
    if asked == CONTAINER:
        text = "this version starts no containers; run all of kgate in one, or choose namespaces"
        raise UsageError(f"--sandbox {CONTAINER}: {text}")
    if asked == NONE:
        return Sandbox()
    found = namespaces(needed)
    if asked == NAMESPACES and not found.confines:
        raise HostError(f"--sandbox {NAMESPACES}: {found.gaps[0]}; {FIX}, or choose none")
    return found


def namespaces(needed: Sequence[str] = ()) -> Sandbox:
    """Of the mode `none` where they cannot be made; the reason is its only gap."""
    made = Sandbox(mode=NAMESPACES, passing=passing(), masked=tuple(sockets(SOCKETS)))
    with tempfile.TemporaryDirectory(prefix="kgate-sandbox-") as folder:
        walls = made.walls(hidden=folder, shown=(), writable=())
        argv = (*front(walls), *(f"needed={path}" for path in needed))
        try:
            done = subprocess.run(
                argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=ANSWER_S
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return Sandbox(gaps=(f"namespaces cannot be tried: {error}",))
    if done.returncode:
        said = (done.stderr.strip().splitlines() or [f"it ended with exit code {done.returncode}"])[-1]
        return Sandbox(gaps=(f"namespaces cannot be made here: {said.removeprefix('kgate: sandbox: ')}",))
    return replace(made, gaps=tuple(done.stdout.splitlines()))


def front(walls: Walls, *, forks: bool = False) -> tuple[str, ...]:
    """What is put before a program's own command, which follows behind `--`. `forks`: its children get cells."""
    script = str(Path(kgate.__file__).parent / "worker" / "confinement.py")
    return (sys.executable, "-I", "-S", script, *walls.words, *(("forks=",) if forks else ()))


def passing() -> tuple[str, ...]:
    """Where programs write besides their caches: the home and the folders for temporary files, none within another."""
    named = {os.environ.get("HOME", ""), tempfile.gettempdir(), "/tmp", "/var/tmp"}
    there = sorted({str(Path(name).resolve()) for name in named if name and Path(name).is_dir()} - {"/"})
    return tuple(p for p in there if not any(Path(p).is_relative_to(other) for other in there if other != p))


def sockets(folder: str) -> Iterator[str]:
    """Those of services, as far as this user can see them, level by level."""
    level, left = [folder], LOOKED_AT
    for _ in range(DEPTH):
        below: list[str] = []
        for place in level:
            with suppress(OSError), os.scandir(place) as entries:
                for entry in islice(entries, left):
                    left -= 1
                    mode = entry.stat(follow_symlinks=False).st_mode
                    if stat.S_ISSOCK(mode):
                        yield entry.path
                    elif stat.S_ISDIR(mode):
                        below.append(entry.path)
        level = below
