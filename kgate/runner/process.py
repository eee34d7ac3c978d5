"""
Starting a process in a session of its own, and ending it with all that it left behind.

Any thread may start one: a worker's life hangs on the gate's, by a pipe, and not on the thread's that started it.
"""

import errno
import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from kgate.model import Arm, Failure
from kgate.protocol import Reason, Walls
from kgate.runner import walls
from kgate.runner.bundle import packed
from kgate.runner.environment import worker_environment
from kgate.runner.place import Workplace
from kgate.runner.plain import NotPlain, opened
from kgate.runner.sandbox import front
from kgate.runner.shelf import unwritable

LIFELINE = "KGATE_LIFELINE"
KILL_S = 5.0  # a process that waits for a driver cannot be killed at once, and some never can
TAIL_BYTES = 4096
TAIL_LINES = 20
# Said by torch where a zygote or something in it had touched CUDA before the fork.
FORK_IS_TO_BLAME = "forked subprocess"


class Child(Protocol):
    """
    A worker process; its pid is also its session and its process group.

    `doubted` is called when a child did not come as far as its first answer. It gives a sentence if the child was
    forked from a zygote, which is then not used again, so that the same work is worth a second try; else "".
    """

    pid: int
    log: Path

    def status(self) -> int | None:
        """Exit code, or minus the signal, or None while it runs."""

    def reap(self) -> None: ...

    def doubted(self, why: str) -> str: ...


Start = Callable[[Workplace, Arm, Path], Child]  # the path is the control directory
Argv = Callable[[Workplace, Arm, Path], Sequence[str]]


def worker_argv(workplace: Workplace, arm: Arm, control: Path) -> tuple[str, ...]:
    return (workplace.python[arm.tree], str(packed(workplace.folder)), "run", str(control))


def fresh(workplace: Workplace, arm: Arm, control: Path, *, argv: Argv = worker_argv) -> "Process":
    """A new process on this control directory. Raises OSError if there is no such program."""
    around = walls.of_launch(workplace, arm, control)
    return spawn(confined(argv(workplace, arm, control), around), workplace, arm, control / "log.txt")


def confined(argv: Sequence[str], around: Walls | None, *, forks: bool = False) -> Sequence[str]:
    """The command within these walls, if any. Raises OSError if there is no such program, as starting it would."""
    if around is None:
        return argv
    with Path(argv[0]).open("rb") as file:
        kind = file.read(4)
    number = 0 if os.access(argv[0], os.X_OK) else errno.EACCES
    if number or not kind.startswith((b"\x7fELF", b"#!")):
        number = number or errno.ENOEXEC
        raise OSError(number, os.strerror(number))
    return (*front(around, forks=forks), "--", *argv)


def spawn(argv: Sequence[str], workplace: Workplace, arm: Arm, log: Path) -> "Process":
    """Raises OSError if there is no such program, HostError if the log cannot be written."""
    env = worker_environment(workplace, arm)
    try:
        sink = log.open("ab")
    except OSError as error:
        raise unwritable(log, error) from error
    read, write = os.pipe()
    try:
        with sink:
            popen = subprocess.Popen(
                argv,
                env={**env, LIFELINE: str(read)},
                cwd=workplace.trees[arm.tree],
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
                start_new_session=True,
                pass_fds=(read,),
            )
    except OSError:
        os.close(write)
        raise
    finally:
        os.close(read)
    with suppress(ProcessLookupError):
        # A crash is told by its signal; a core dump would only fill the user's tree.
        resource.prlimit(popen.pid, resource.RLIMIT_CORE, (0, 0))
    return Process(popen=popen, lifeline=write, log=log)


class Process:
    """A child of the gate's own. The gate holds the only write end of its lifeline, a pipe whose end means: stop."""

    def __init__(self, *, popen: "subprocess.Popen[bytes]", lifeline: int, log: Path) -> None:
        self.pid = popen.pid
        self.log = log
        self.popen = popen
        self.lifeline = lifeline

    def status(self) -> int | None:
        if self.popen.returncode is not None:
            return self.popen.returncode
        # Not reaped yet: as long as its leader is a zombie, the number of the session cannot go to anybody else.
        found = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if found is None:
            return None
        return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status

    def reap(self) -> None:
        with suppress(subprocess.TimeoutExpired):
            self.popen.wait(timeout=KILL_S)
        if self.lifeline >= 0:
            os.close(self.lifeline)
            self.lifeline = -1

    def doubted(self, why: str) -> str:
        return ""


def end(child: Child) -> None:
    """Kill the process, its group and its session, until none is left. A child in a session of its own escapes."""
    until = time.monotonic() + KILL_S
    while time.monotonic() < until:
        left = members(child.pid)
        if child.status() is None and child.pid not in left:
            left.append(child.pid)
        if not left:
            break
        for pid in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.005)
    child.reap()


def members(leader: int) -> list[int]:
    """Living processes of this session or process group, from /proc; a group can be left, a session only by setsid."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                state, _, group, session = relations(int(folder.name))
                if leader in (group, session) and state not in "ZX":
                    found.append(int(folder.name))
    return found


def descendants(pid: int) -> Iterator[int]:
    """
    It and all below it, by the children that each of their threads has started (proc_tid_children(5)). In a cell the
    first process takes in what others have left behind, so that nobody is missed.
    """
    yield pid
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208  names, for hundreds
            for child in Path(f"/proc/{pid}/task/{thread}/children").read_text().split():
                yield from descendants(int(child))


def numbered(inner: int, front: int) -> int:
    """The process within a front's walls that is called `inner` there, by its number here; 0 if there is none."""
    outside = len(numbers(front))
    return next((pid for pid in descendants(front) if numbers(pid)[outside:] == [inner]), 0)


def numbers(pid: int) -> list[int]:
    """Of one process, outermost namespace that is seen from here first; [] if it is gone."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text(errors="replace").splitlines():
            if line.startswith("NSpid:"):
                return [int(word) for word in line.split()[1:]]
    return []


def relations(pid: int) -> tuple[str, int, int, int]:
    """State, parent, process group and session (proc_pid_stat(5)). Raises OSError if there is no such process."""
    text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    # The name in brackets is the process's own choice and may hold brackets and spaces.
    state, parent, group, session = text.rpartition(")")[2].split()[:4]
    return state, int(parent), int(group), int(session)


def epitaph(status: int) -> tuple[Reason, str]:
    """How a process that ended by itself ended."""
    if status >= 0:
        return "exited", f"ended the process with exit code {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = "no signal of this system's"
    hint = "; the system does that when memory runs out" if -status == signal.SIGKILL else ""
    return "died", f"was ended by signal {-status} ({name}){hint}"


def not_started(python: str, error: OSError) -> Failure:
    text = f"{python} cannot be started ({error.strerror}); mend `python` in the manifest or pass --python"
    return Failure(rung="environment", reason="unavailable", text=text)


def log_tail(log: Path) -> str:
    """The last lines that it wrote to stdout or stderr; "" if there are none, or if it put something else there."""
    try:
        with opened(log) as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - TAIL_BYTES))
            text = file.read(TAIL_BYTES).decode("utf-8", "replace")
    except (OSError, NotPlain):
        return ""
    return "\n".join(text.splitlines()[-TAIL_LINES:])
