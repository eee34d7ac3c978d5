"""Launches are recorded by the gate's own processes: tried on the CPU, with functions of torch's."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.rates.recordings import read

ROOT = Path(__file__).resolve().parents[2]
WORKER = os.environ.get("KGATE_TEST_WORKER_PYTHON") or sys.executable


def recorded(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "benchmarks/record.py"), "--start", "tried", "--device", "cpu"]
    command += [
        "--seconds",
        "600",
        "--launches",
        "2",
        "--python",
        WORKER,
        "--zygotes",
        "2",
        "--data",
        str(folder / "none"),
    ]
    command += ["--folder", str(folder / "kept"), "--out", str(folder / "out")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.real
@pytest.mark.nightly
def test_a_recording_is_gone_on_with_and_says_what_it_holds(tmp_path: Path) -> None:
    first = recorded(tmp_path)
    before = read(tmp_path / "out/tried.jsonl.gz")
    (tmp_path / "out/tried.jsonl.gz").unlink()

    second = recorded(tmp_path)

    found = read(tmp_path / "out/tried.jsonl.gz")
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    assert before is not None
    assert found is not None
    assert found.heading == before.heading
    assert found.launches[: len(before.launches)] == before.launches
    assert [r.launch for r in found.launches] == [0, 1, 2, 3]
    taken = found.launches[0].kernels["add"]
    assert {arm: len(ns) for arm, ns in taken.ns.items()}.items() >= {"head": 64, "base": 64}.items()
    assert "cpu-monotonic, 1" in second.stdout
