"""
A process that has imported the slow packages once and forks a child per launch.

It preloads torch and DSL packages, never a user's module, and does no arithmetic: a child hangs in its first matrix
product if the parent ever did one, and no CUDA context survives a fork.
"""

import contextlib
import importlib
import os
import select
import signal
import socket
import sys
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NoReturn

from kgate.protocol import LINE_LIMIT, Exited, Fork, Forked, Walls, address, decode, encode
from kgate.wire import ProtocolError
from kgate.worker import confinement, lifeline
from kgate.worker.faults import Fault, foreign

BEFORE_IMPORT = {
    "OPENBLAS_NUM_THREADS": "1",  # else importing torch starts a second thread, which a fork loses
    "PYTORCH_NVML_BASED_CUDA_CHECK": "1",  # else asking whether CUDA is there, as tilelang does, forbids it in children
}


def serve(path: Path, preload: tuple[str, ...], run: Callable[[Path], None]) -> NoReturn:
    """Listen before preloading, so that the gate can connect at once; end when the gate hangs up."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        with address(path) as name:
            listener.bind(name)
        listener.listen(1)
        os.environ.update(BEFORE_IMPORT)
        load(preload)
        # Some packages leave a thread behind; children were seen to be right all the same.
        warnings.filterwarnings("ignore", message=".*fork.*", category=DeprecationWarning)
        gate, _ = listener.accept()
    Nursery(gate, run).attend()


def load(preload: tuple[str, ...]) -> None:
    for package in preload:
        try:
            foreign("environment", partial(importlib.import_module, package))
        except Fault as fault:
            # The child that needs it finds the same and says so in its own reply.
            print(f"kgate: {package} is not preloaded: {fault.text}", file=sys.stderr, flush=True)


class Nursery:
    """The children that live, by pid, and the connection that asks for them."""

    def __init__(self, gate: socket.socket, run: Callable[[Path], None]) -> None:
        self.gate = gate
        self.run = run
        self.controls: dict[int, str] = {}
        self.pending = b""
        self.bell, self.striker = os.pipe()
        os.set_blocking(self.striker, False)

    def attend(self) -> NoReturn:
        signal.signal(signal.SIGCHLD, lambda *_: None)  # without a handler the wakeup descriptor stays silent
        signal.set_wakeup_fd(self.striker, warn_on_full_buffer=False)
        line = lifeline.descriptor()
        sources = [self.gate.fileno(), self.bell, *([] if line is None else [line])]
        while True:
            ready, _, _ = select.select(sources, [], [])
            if line in ready:
                self.close()
            if self.bell in ready:
                os.read(self.bell, 4096)
                self.reap()
            if self.gate.fileno() in ready:
                self.listen()

    def listen(self) -> None:
        try:
            heard = self.gate.recv(1 << 16)
        except ConnectionResetError:
            heard = b""
        if not heard:
            self.close()
        *lines, self.pending = (self.pending + heard).split(b"\n")
        if len(self.pending) > LINE_LIMIT:
            raise ProtocolError(f"zygote: a line of more than {LINE_LIMIT} bytes")
        for line in lines:
            request = decode(line)
            if not isinstance(request, Fork):
                raise ProtocolError(f"zygote: {type(request).__name__} is no Fork")
            self.fork(request.control, request.walls)

    def fork(self, control: str, walls: Walls | None) -> None:
        pid = os.fork()
        if pid == 0:
            self.leave()
            work = partial(self.run, Path(control))
            if walls is not None:
                confinement.launch(confinement.walls_of(walls.words), work)
            work()  # ends the process; what it raises ends it too, since nothing above catches
        self.controls[pid] = control
        self.say(Forked(control=control, pid=pid))

    def leave(self) -> None:
        """In the child: nothing of the zygote's is kept but what was imported."""
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        lifeline.follow_parent()
        self.gate.close()
        os.close(self.bell)
        os.close(self.striker)

    def reap(self) -> None:
        while self.controls:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is None:
                return
            # Before the pid is given back: what the child left in its group must not outlive it.
            stop(ended.si_pid)
            _, status = os.waitpid(ended.si_pid, 0)
            control = self.controls.pop(ended.si_pid)
            self.say(Exited(control=control, status=os.waitstatus_to_exitcode(status)))

    def say(self, message: Forked | Exited) -> None:
        try:
            self.gate.sendall(encode(message))
        except (BrokenPipeError, ConnectionResetError):
            self.close()

    def close(self) -> NoReturn:
        for pid in self.controls:
            stop(pid)
        os._exit(0)


def stop(pid: int) -> None:
    """Kill a child and its group, which it may not lead yet."""
    for signalled in (-pid, pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(signalled, signal.SIGKILL)
