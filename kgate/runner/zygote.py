"""
Forked children in place of new processes: an import of seconds is paid once per zygote, not once per launch.

Children of one zygote share its address layout and hash seed, so several zygotes an arm are used in turn.
"""

import errno
import os
import select
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType

from kgate.model import Arm, Event
from kgate.protocol import LINE_LIMIT, LOG, SOCKET, Exited, Fork, Forked, Walls, address, decode, encode
from kgate.runner import walls
from kgate.runner.bundle import packed
from kgate.runner.limits import Limits
from kgate.runner.place import Workplace, slug
from kgate.runner.process import Child, Process, confined, end, fresh, log_tail, numbered, relations, spawn
from kgate.runner.shelf import unwritable
from kgate.wire import ProtocolError

TICK_S = 0.01
ANSWER_S = 10.0  # to a Fork, once the imports are done
# By DSL, packages that were seen on an H200 to leave CUDA usable in a child of the process that has imported them.
FORKABLE = {"torch": "torch", "tilelang": "tilelang", "triton": "triton", "cutile": "cuda.tile"}
ZygoteArgv = Callable[[Workplace, Arm, Path, Sequence[str]], Sequence[str]]


def zygote_argv(workplace: Workplace, arm: Arm, path: Path, preload: Sequence[str]) -> tuple[str, ...]:
    return (workplace.python[arm.tree], str(packed(workplace.folder)), "zygote", str(path), ",".join(preload))


def by_tree(arm: Arm) -> Hashable:
    """For `Zygotes.shared_by`: arms of one tree have their interpreter and their working directory in common."""
    return arm.tree


class Lost(Exception):
    """A zygote that cannot be used, or not any more; the text is the end of a sentence about it."""


class Zygotes:
    """
    All zygotes of a run, each started when it is first needed. `start` has the shape of `process.Start`.

    Arms that `shared_by` maps to one value share zygotes: an arm each by default, for launches; `by_tree` is enough
    where nothing is timed. An arm whose zygote failed, or whose child failed at its first case, gets plain processes
    from then on; an event "note" with `arm` and `text` says so. Use as a context: leaving it ends all of them, and a
    thread that is still at work gets no process any more.
    """

    def __init__(
        self,
        preload: Sequence[str],
        emit: Callable[[Event], None],
        *,
        clusters: int = 1,
        shared_by: Callable[[Arm], Hashable] = lambda arm: arm,
        argv: ZygoteArgv = zygote_argv,
        limits: Limits | None = None,
    ) -> None:
        self.preload = tuple(preload)
        self.emit = emit
        self.clusters = clusters
        self.argv = argv
        self.limits = limits or Limits()
        self.shared_by = shared_by
        self.living: dict[tuple[Hashable, int], Zygote] = {}
        self.forks: dict[Hashable, int] = {}
        self.given_up: set[Hashable] = set()
        self.lock = threading.RLock()  # processes may be started side by side
        self.over = False

    def __enter__(self) -> "Zygotes":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Without the lock, whose holder may be waiting for a zygote's imports: it hears of the end at once.
        self.over = True
        with ExitStack() as stack:
            for zygote in list(self.living.values()):
                stack.callback(zygote.close)

    def warm(self, workplace: Workplace, arms: Sequence[Arm]) -> None:
        """Start every zygote that these arms will need, and wait for none: their imports overlap."""
        for key, arm in {(self.shared_by(arm), turn): arm for arm in arms for turn in range(self.clusters)}.items():
            # One that cannot be born is met again, and told of, by the first start that needs it.
            with suppress(Lost):
                self.living[key] = Zygote.born(workplace, arm, self.preload, self.argv)

    def start(self, workplace: Workplace, arm: Arm, control: Path) -> Child:
        """A child forked from this arm's next zygote, or a plain process where that does not work. Raises OSError."""
        group = self.shared_by(arm)
        with self.lock:
            self.refuse_if_over()
            if {arm, group} & self.given_up:
                return fresh(workplace, arm, control)
            turn = self.forks.get(group, 0)
            self.forks[group] = turn + 1
            try:
                pid, zygote = self.forked(workplace, arm, turn % self.clusters, control)
            except Lost as error:
                self.refuse_if_over()
                self.given_up.add(group)
                note = self.give_up(arm, str(error))
                self.emit(Event(name="note", fields={"arm": arm.name, "text": note}))
                return fresh(workplace, arm, control)
        return ForkedChild(zygote, pid, control, lambda why: self.give_up(arm, f"had a child that {why}"))

    def refuse_if_over(self) -> None:
        if self.over:
            raise OSError(errno.ECANCELED, os.strerror(errno.ECANCELED))

    def forked(self, workplace: Workplace, arm: Arm, cluster: int, control: Path) -> "tuple[int, Zygote]":
        key = (self.shared_by(arm), cluster)
        zygote = self.living.get(key)
        if zygote is not None and not zygote.alive:
            self.living.pop(key).close()
            zygote = None
        if zygote is None:
            zygote = self.living[key] = Zygote.born(workplace, arm, self.preload, self.argv)
        if self.over:  # left meanwhile, by one who did not see this zygote
            zygote.close()
        # The first answer waits for the zygote's imports.
        patience_s = ANSWER_S if zygote.forked else self.limits.startup_s
        return zygote.fork(control, patience_s, walls.of_launch(workplace, arm, control, zygote.worker)), zygote

    def give_up(self, arm: Arm, why: str) -> str:
        self.given_up.add(arm)
        return f"{arm.name}: the process that forks its workers {why}; plain processes are used instead"


class Zygote:
    """One zygote and what it has said of its children, by control directory."""

    def __init__(self, process: Process, connection: socket.socket, path: Path, worker: Path) -> None:
        self.process = process
        self.worker = worker  # what it goes on importing from
        self.connection = connection
        self.path = path
        self.pending = b""
        self.forked: dict[str, int] = {}
        self.exited: dict[str, int] = {}
        self.alive = True
        self.lock = threading.RLock()  # of the connection: what one child's reader hears may be another's

    @classmethod
    def born(cls, workplace: Workplace, arm: Arm, preload: Sequence[str], argv: ZygoteArgv) -> "Zygote":
        """Started and connected to; it may still be importing. Raises Lost."""
        logs = workplace.logs.absolute()
        try:
            logs.mkdir(parents=True, exist_ok=True)
            folder = Path(tempfile.mkdtemp(prefix=f"zygote-{slug(arm)}-", dir=logs))
        except OSError as error:
            raise unwritable(logs, error) from error
        path = folder / SOCKET
        with ExitStack() as undo:
            undo.callback(path.unlink, missing_ok=True)
            try:
                command = confined(argv(workplace, arm, path, preload), walls.of_zygote(workplace, arm), forks=True)
                process = spawn(command, workplace, arm, folder / LOG)
            except OSError as error:
                raise Lost(f"cannot be started ({error.strerror})") from error
            undo.callback(end, process)
            born = cls(process, connected(process, path), path, packed(workplace.folder))
            undo.pop_all()
            return born

    def fork(self, control: Path, patience_s: float, around: Walls | None = None) -> int:
        """The pid of a new child. Raises Lost, also if what it names is no child of its own."""
        key = str(control)
        until = time.monotonic() + patience_s
        try:
            self.connection.sendall(encode(Fork(control=key, walls=around)))
        except OSError:
            self.lose()
        while key not in self.forked and self.alive and time.monotonic() < until:
            self.listen(TICK_S)
        pid = self.forked.get(key, 0)
        if around is not None:
            pid = numbered(pid, self.process.pid)
        elif pid and key not in self.exited and not self.is_parent_of(pid):
            pid = 0
        if not pid:
            self.lose()
            tail = log_tail(self.process.log).splitlines()
            raise Lost("gave no child" + (f" ({tail[-1][:200]})" if tail else ""))
        return pid

    def is_parent_of(self, pid: int) -> bool:
        with suppress(OSError):
            return relations(pid)[1] == self.process.pid
        # Gone already: its end is about to be told.
        return True

    def listen(self, wait_s: float) -> None:
        """Take in what it says within `wait_s`; anything but the protocol ends its use."""
        with self.lock:
            if self.alive and select.select([self.connection], [], [], wait_s)[0]:
                self.hear()

    def hear(self) -> None:
        try:
            heard = self.connection.recv(1 << 16)
        except OSError:
            heard = b""
        *lines, self.pending = (self.pending + heard).split(b"\n")
        for line in lines:
            self.note(line)
        if not heard or len(self.pending) > LINE_LIMIT:
            self.lose()

    def note(self, line: bytes) -> None:
        try:
            message = decode(line)
        except ProtocolError:
            message = None
        match message:
            case Forked(control=control, pid=pid) if pid > 1:
                self.forked[control] = pid
            case Exited(control=control, status=status):
                self.exited[control] = status
            case _:
                self.lose()

    def lose(self) -> None:
        with self.lock:  # ended once: its lifeline's number may be another file's by then
            first, self.alive = self.alive, False
        if first:
            end(self.process)

    def close(self) -> None:
        self.lose()
        self.connection.close()
        with suppress(OSError):
            self.path.unlink()


def connected(process: Process, path: Path) -> socket.socket:
    """The zygote listens before it imports anything slow. Raises Lost if it does not."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    until = time.monotonic() + ANSWER_S
    while process.status() is None and time.monotonic() < until:
        try:
            with address(path) as name:
                connection.connect(name)
        except OSError:
            time.sleep(TICK_S)
        else:
            return connection
    connection.close()
    tail = log_tail(process.log).splitlines()
    raise Lost("does not listen" + (f" ({tail[-1][:200]})" if tail else ""))


class ForkedChild:
    """A child of a zygote's, which reaps it and tells how it ended."""

    def __init__(self, zygote: Zygote, pid: int, control: Path, give_up: Callable[[str], str]) -> None:
        self.pid = pid
        self.log = control / LOG
        self.zygote = zygote
        self.key = str(control)
        self.give_up = give_up

    def status(self) -> int | None:
        self.zygote.listen(0)
        if self.key in self.zygote.exited:
            return self.zygote.exited[self.key]
        # Children die with their zygote, and nobody is left to tell how.
        return None if self.zygote.alive else -signal.SIGKILL

    def reap(self) -> None:
        """The zygote's to do."""

    def doubted(self, why: str) -> str:
        return self.give_up(why)
