"""The manifest's `build`: the one command of a repository's that the gate runs itself."""

import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from kgate.withheld import withheld

BUILD_LIMIT_S = 3600.0
LOG_LIMIT_BYTES = 64 << 20
TAIL_BYTES = 4096
LOOK_S = 0.1


def build(
    tree: Path, command: str, log: Path, limit_s: float = BUILD_LIMIT_S, log_limit_bytes: int = LOG_LIMIT_BYTES
) -> str:
    """Run the manifest's `build` in `tree`, its output to `log`. "" if it worked, else what went wrong."""
    env = {k: v for k, v in os.environ.items() if not withheld(k)}
    try:
        with log.open("w+b") as output:
            process = subprocess.Popen(
                ["bash", "-c", command],
                cwd=tree,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            code = ended(process, limit_s, output, log_limit_bytes)
            last = last_line(output)
    except OSError as error:
        return f"`{command}` could not be started: {error.strerror}"
    if isinstance(code, str):
        return f"`{command}` {code}"
    return f"`{command}` ended with code {code}: {last}" if code else ""


def ended(process: "subprocess.Popen[bytes]", limit_s: float, output: BinaryIO, log_limit_bytes: int) -> int | str:
    """The exit code, or which limit it has passed. What the command has started ends with it."""
    until = time.monotonic() + limit_s
    try:
        while time.monotonic() < until:
            with suppress(subprocess.TimeoutExpired):
                return process.wait(timeout=LOOK_S)
            if os.fstat(output.fileno()).st_size > log_limit_bytes:
                return f"wrote more than {log_limit_bytes >> 20} MiB to its output, and was ended"
        return f"did not end within {limit_s:g} s"
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def last_line(output: BinaryIO) -> str:
    """Through the file that was opened: the command may have put something else at its path."""
    size_bytes = os.fstat(output.fileno()).st_size
    tail = os.pread(output.fileno(), TAIL_BYTES, max(0, size_bytes - TAIL_BYTES))
    lines = tail.decode("utf-8", "replace").split("\n")
    return next((line.strip()[:200] for line in reversed(lines) if line.strip()), "no output")
