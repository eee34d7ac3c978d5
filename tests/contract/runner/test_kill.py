"""The gate may be killed at any moment; its workers go with it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kgate.runner.process import members
from tests.signals import heed_interrupts

pytestmark = pytest.mark.real
HERE = Path(__file__).parent
WORKER = os.environ.get("KGATE_TEST_WORKER_PYTHON", "")
needs_worker = pytest.mark.skipif(not WORKER, reason="KGATE_TEST_WORKER_PYTHON names no interpreter with torch")
SLEEPER = "import time\n\n\ndef sleep():\n    time.sleep(3600)\n"
PATIENCE_S = 2.0


@pytest.mark.parametrize(
    ("python", "fake"),
    [
        pytest.param(sys.executable, str(HERE / "fakes" / "hangs.py"), id="fake"),
        pytest.param(WORKER, "", id="worker", marks=needs_worker),
        pytest.param(WORKER, "fork", id="forked", marks=needs_worker),
    ],
)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_no_worker_is_left_within_two_seconds_of_the_gates_end(tmp_path, python, fake, number):
    (tmp_path / "lasting.py").write_text(SLEEPER)
    argv = [sys.executable, str(HERE / "gate.py"), str(tmp_path), python, fake]
    with subprocess.Popen(
        argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, preexec_fn=heed_interrupts
    ) as gate:
        worker = int(gate.stdout.readline())
        wait_for_its_first_words(tmp_path)

        gate.send_signal(number)
        gate.wait(timeout=30)

    until = time.monotonic() + PATIENCE_S
    while members(worker) and time.monotonic() < until:
        time.sleep(0.02)
    assert members(worker) == []


def wait_for_its_first_words(folder: Path) -> None:
    until = time.monotonic() + 30
    while not list(folder.glob("control/*/replies.jsonl")) and time.monotonic() < until:
        time.sleep(0.02)
