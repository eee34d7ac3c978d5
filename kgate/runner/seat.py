"""One arm's process in a launch, and the talk with it: a request, an answer, and a deadline for each."""

import os
import select
import socket
import struct
import time
from collections.abc import Sequence
from contextlib import suppress

from kgate.model import Arm, Failure
from kgate.protocol import (
    LINE_LIMIT,
    Answer,
    Arrange,
    Arranged,
    CaseJob,
    Export,
    Exported,
    Failed,
    Job,
    Prepare,
    Quit,
    Ready,
    Reason,
    Release,
    Request,
    TimeBlock,
    Times,
    WarmUp,
    address,
    decode,
    encode,
)
from kgate.runner.collect import SAID_BY_GATE
from kgate.runner.control import create, discard
from kgate.runner.limits import Guard, Limits, overdue
from kgate.runner.place import Workplace
from kgate.runner.printable import one_line
from kgate.runner.process import Start, end, epitaph, log_tail
from kgate.runner.shelf import Shelf
from kgate.wire import ProtocolError

LOOK_S = 0.25  # between looks at a waiting process; rare, since another arm may be in its timed loop
EXPECTED: dict[type, type] = {
    Prepare: Ready,
    WarmUp: Ready,
    Arrange: Arranged,
    TimeBlock: Times,
    Export: Exported,
    Release: Ready,
}


class Lost(Exception):
    """The process is of no use any more."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.text)
        self.failure = failure


class Seat:
    """
    A process that has been started for these jobs. Raises OSError if it cannot be.

    `start_s` is from its start or fork to its connection, and its first answer on top: imports, device, first case.
    """

    def __init__(
        self, workplace: Workplace, arm: Arm, jobs: Sequence[CaseJob], limits: Limits, start: Start, export_bytes: int
    ) -> None:
        tree = str(workplace.trees[arm.tree].absolute())
        job = Job(mode="lockstep", arm=arm.name, tree=tree, device=workplace.device, cases=tuple(jobs))
        self.workplace = workplace
        self.limits = limits
        self.start_s = 0.0
        self.answers = 0
        self.connection: socket.socket | None = None
        self.told: tuple[Request, float] | None = None  # a request sent ahead of being asked, and when
        self.lost_early: Lost | None = None  # what went wrong with it
        self.control = create(workplace, arm, job)
        self.shelf = Shelf(self.control.out, export_bytes)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with address(self.control.socket) as name:
                self.listener.bind(name)
            self.listener.listen(1)
            self.started = time.monotonic()
            self.child = start(workplace, arm, self.control.path)
        except BaseException:
            self.listener.close()
            discard(workplace, self.control)
            raise
        self.guard = Guard(self.child, limits, (self.control.path, workplace.caches(arm)))

    def arrived(self) -> bool:
        """Whether it has connected. Raises Lost if it never will."""
        while self.connection is None and select.select([self.listener], [], [], 0)[0]:
            connection, _ = self.listener.accept()
            if self.is_own(connection):
                self.connection = connection
                self.start_s = time.monotonic() - self.started
            else:
                connection.close()
        if self.connection is None:
            self.check(self.started + self.limits.startup_s, "did not connect", self.limits.startup_s, of_case=False)
        return self.connection is not None

    def is_own(self, connection: socket.socket) -> bool:
        """By the credentials that the kernel noted (unix(7)): anybody of this user's could have connected."""
        size = struct.calcsize("3i")
        pid, _, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
        with suppress(ProcessLookupError):
            return self.child.pid in (pid, os.getsid(pid), os.getpgid(pid))
        return False

    def tell(self, request: Request) -> None:
        """Send a request whose answer is asked for later, by `ask` with the same one, which raises what went wrong."""
        try:
            self.send(request)
        except Lost as lost:
            self.lost_early = lost

    def send(self, request: Request) -> None:
        """Raises Lost."""
        assert self.connection is not None, "told before it had connected"
        assert not isinstance(request, Quit), "a Quit has no answer"
        if select.select([self.connection], [], [], 0)[0]:
            self.heard(b"")
            raise self.lost("bad-reply", "spoke without being asked")
        try:
            self.connection.sendall(encode(request))
        except OSError:
            self.hung_up()
        self.told = (request, time.monotonic())

    def ask(self, request: Request, timeout_s: float) -> Answer:
        """Raises Lost: it died, passed the deadline or a limit, or its answer is not of the protocol."""
        if self.lost_early is not None:
            raise self.lost_early
        if self.told is None or self.told[0] != request:
            self.send(request)
        assert self.connection is not None
        assert self.told is not None
        deadline = self.told[1] + timeout_s
        self.told = None
        heard = b""
        while not heard.endswith(b"\n"):
            ready = select.select([self.connection], [], [], min(LOOK_S, max(0.0, deadline - time.monotonic())))[0]
            if ready:
                heard = self.heard(heard)
            else:
                self.check(deadline, "gave no answer", timeout_s, of_case=True)
        if self.answers == 0:
            self.start_s += timeout_s - (deadline - time.monotonic())
        self.answers += 1
        return self.answer(heard, request)

    def heard(self, before: bytes) -> bytes:
        """What came before with what comes now: no more than one line. Raises Lost."""
        assert self.connection is not None
        try:
            chunk = self.connection.recv(1 << 16)
        except OSError:
            chunk = b""
        if not chunk:
            self.hung_up()
        heard = before + chunk
        if len(heard) > LINE_LIMIT or b"\n" in heard[:-1]:
            raise self.lost("bad-reply", "said more than it was asked for")
        return heard

    def answer(self, line: bytes, request: Request) -> Answer:
        try:
            answer = decode(line)
        except ProtocolError as error:
            text = f"gave an answer that is not of the protocol: {one_line(str(error))}"
            raise self.lost("bad-reply", text) from error
        known = isinstance(answer, (EXPECTED[type(request)], Failed))
        if not known or answer.case != getattr(request, "case", None):
            said = f"answered {type(request).__name__} with {type(answer).__name__}"
            raise self.lost("bad-reply", f"{said}, which is out of its place")
        if isinstance(answer, Failed) and answer.reason in SAID_BY_GATE:
            raise self.lost("bad-reply", f"gave the reason {answer.reason!r}, which only the gate can know")
        return answer  # type: ignore[no-any-return]

    def check(self, deadline: float, missed: str, allowed_s: float, *, of_case: bool) -> None:
        """Raises Lost if it has ended, or has passed a limit or the deadline."""
        status = self.child.status()
        if status is not None:
            raise self.lost(*epitaph(status))
        if (broken := self.guard.broken()) is not None:
            raise self.lost(*broken)
        if time.monotonic() >= deadline:
            raise self.lost("hung", overdue(missed, allowed_s, of_case=of_case))

    def hung_up(self) -> None:
        """The connection is gone; how the process ended shows a moment later."""
        until = time.monotonic() + 1.0
        while (status := self.child.status()) is None and time.monotonic() < until:
            time.sleep(0.01)
        if status is None:
            raise self.lost("bad-reply", "closed its connection without an answer")
        raise self.lost(*epitaph(status))

    def lost(self, reason: Reason, text: str) -> Lost:
        detail = log_tail(self.child.log)
        return Lost(Failure(rung="latency", reason=reason, text=text, detail=detail))

    def say_quit(self) -> None:
        """Ask it to end; all arms are asked before the first is waited for."""
        if self.connection is not None:
            with suppress(OSError):
                self.connection.sendall(encode(Quit()))

    def let_end(self) -> None:
        """After `say_quit`."""
        until = time.monotonic() + self.limits.ending_s
        while self.child.status() is None and time.monotonic() < until:
            time.sleep(0.01)

    def close(self) -> None:
        end(self.child)
        self.listener.close()
        if self.connection is not None:
            self.connection.close()
        discard(self.workplace, self.control)
