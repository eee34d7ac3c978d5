"""The programs of the rig, started and stopped: each is a process on a port of the loopback interface."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import urllib3

HERE = Path(__file__).resolve().parent
MODULES = HERE / "node_modules"
NODE = Path(sys.executable).with_name("node")
ACT = Path(sys.executable).with_name("act")
SUBSET = HERE / "openapi.json"
START_S = 240.0  # busy machines included; each is up within a second or two on an idle one
OPEN = urllib3.PoolManager(retries=False, timeout=60)


@dataclass(frozen=True, kw_only=True)
class Program:
    """`log`: what it prints."""

    url: str
    log: Path
    process: "subprocess.Popen[bytes]" = field(repr=False)

    def said(self) -> str:
        return self.log.read_text(errors="replace")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def started(command: Sequence[str], port: int, log: Path, env: Mapping[str, str] | None = None) -> Iterator[Program]:
    """Listening when it is given out; its whole process group ends with the block."""
    # No settings, tokens or proxies of the machine's.
    environ = {"PATH": f"{NODE.parent}:/usr/bin:/bin", "HOME": os.fspath(log.parent), "NO_COLOR": "1", **(env or {})}
    with log.open("wb") as file:
        process = subprocess.Popen(
            [os.fspath(NODE), *command],
            cwd=HERE,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    program = Program(url=f"http://127.0.0.1:{port}", log=log, process=process)
    try:
        until_it_listens(program, port)
        yield program
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def until_it_listens(program: Program, port: int) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and program.process.poll() is None:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1):
                return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError(f"{program.process.args} does not listen:\n{program.said()}")


def asked(url: str, token: str = "", verb: str = "GET", body: object = None, **headers: str) -> Any:
    """JSON of a request that has to succeed."""
    told = {"Accept": "application/json", "User-Agent": "rig", **headers}
    if token:
        told["Authorization"] = f"Bearer {token}"
    answer = OPEN.request(verb, url, json=body, headers=told)
    assert 200 <= answer.status < 300, (verb, url, answer.status, answer.data[:500])
    return json.loads(answer.data) if answer.data else None
