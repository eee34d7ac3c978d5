"""A zygote in short: listens at the path given, forks a child for each Fork, which then plays the fake named second."""

import json
import os
import runpy
import signal
import socket
import sys
from pathlib import Path

from reach import near

SOCKET, CHILD = sys.argv[1:3]


def send(**fields: object) -> None:
    GATE.sendall(json.dumps(fields).encode() + b"\n")


def fork(control: str) -> None:
    pid = os.fork()
    if pid == 0:
        os.setsid()
        GATE.close()
        sys.argv = [CHILD, control]
        try:
            runpy.run_path(CHILD)
        finally:
            os._exit(0)
    send(kind="Forked", control=control, pid=pid)
    CHILDREN[pid] = control


def reap(*_: object) -> None:
    for pid in list(CHILDREN):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            send(kind="Exited", control=CHILDREN.pop(pid), status=os.waitstatus_to_exitcode(status))


CHILDREN: dict[int, str] = {}
sys.path.insert(0, str(Path(CHILD).parent))
with socket.socket(socket.AF_UNIX) as listener:
    listener.bind(near(SOCKET))
    listener.listen(1)
    GATE, _ = listener.accept()
signal.signal(signal.SIGCHLD, reap)
for line in GATE.makefile("rb"):
    fork(json.loads(line)["control"])
for pid in CHILDREN:
    os.kill(pid, signal.SIGKILL)
