"""Signals while an arm runs under a tool on the terminal."""

import signal
import subprocess
import sys

import pytest

from kgate import cli
from kgate.runner.tools import waited_for

pytestmark = pytest.mark.real
SENDS = "import os, signal, time; os.kill(os.getppid(), signal.{}); {}"


def tool(signal_name: str, then: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-c", SENDS.format(signal_name, then)])


def test_ctrl_c_is_left_to_the_tool():
    before = signal.getsignal(signal.SIGINT)

    assert waited_for(tool("SIGINT", "raise SystemExit(3)")) == 3
    assert signal.getsignal(signal.SIGINT) is before


def test_what_ends_the_gate_ends_the_tool():
    before = signal.signal(signal.SIGTERM, cli.stop)
    process = tool("SIGTERM", "time.sleep(600)")
    try:
        with pytest.raises(KeyboardInterrupt):
            waited_for(process)
    finally:
        signal.signal(signal.SIGTERM, before)

    assert process.wait() == -signal.SIGKILL
