"""The user's command with a hook in every Python that it starts, on this terminal and with this environment."""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from kgate.errors import HostError
from kgate.runner import bundle
from kgate.worker.capture import ENTRIES

PYTHONS = ("python", "python3")
# Python runs this before anything else: the first sitecustomize on its path is the only one it looks for.
SITE = """\
import sys

sys.path.insert(0, {archive!r})
try:
    from kgate.worker import capture
finally:
    sys.path.remove({archive!r})
capture.begin({folder!r})
capture.follow({folder!r})
"""


def run(command: Sequence[str], python: str, folder: Path, kernels: Sequence[Sequence[str]], limit: int) -> int:
    """
    Its exit code; -N where signal N ended it. `python` takes the place of a `python` that begins the command, and is
    put before a script; "" leaves both to PATH.
    """
    (folder / ENTRIES).write_text(json.dumps({"kernels": kernels, "limit": limit}), "utf-8")
    archive = bundle.packed(folder)
    (folder / "sitecustomize.py").write_text(SITE.format(archive=str(archive), folder=str(folder)), "utf-8")
    words = with_interpreter(command, python)
    if shutil.which(words[0]) is None:
        raise HostError(f"not captured: {words[0]} is not on PATH and no program; name one that is")
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the command's, and ends the recording with it
    try:
        process = subprocess.Popen(words, env=environment(folder, os.environ), preexec_fn=heed_interrupts)
        return process.wait()
    finally:
        signal.signal(signal.SIGINT, before)


def heed_interrupts() -> None:
    """What is ignored stays so in a child."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def with_interpreter(command: Sequence[str], python: str) -> list[str]:
    first, *rest = command
    if first in PYTHONS and python:
        return [python, *rest]
    if first.endswith(".py"):
        return [python or "python3", *command]
    return list(command)


def environment(folder: Path, surroundings: Mapping[str, str]) -> dict[str, str]:
    path = surroundings.get("PYTHONPATH", "")
    return {**surroundings, "PYTHONPATH": os.pathsep.join((str(folder), *([path] if path else [])))}
