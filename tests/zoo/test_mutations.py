"""A gate with a check taken out of it lets specimens through: five faults planted in a copy of kgate, each seen."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.check.shop import ROOT

pytestmark = [pytest.mark.real, pytest.mark.nightly]

# By what is planted: file, what stands there, what is put in its place; then a specimen that comes through with it.
MUTATIONS = {
    "accept NaN": (
        "kgate/chunks.py",
        "    error[np.isnan(error)] = math.inf\n",
        "    error[np.isnan(error)] = 0.0\n",
        "p23_nan_where_some_are",
    ),
    "compare shapes only": (
        "kgate/compare.py",
        "    broken = _broken(metrics, bound)\n",
        "    broken = ()\n",
        "p22_identity",
    ),
    "skip the fallback": (
        "kgate/rules/fallback_wrong.py",
        "        said = type_said(run, case) or alone_said(run, case) or drill_said(run, case)\n",
        "        said = None\n",
        "c23_nan_in_the_fallback",
    ),
    "broadcast": (
        "kgate/compare.py",
        "        if output.shape != expected.shape:\n",
        "        if np.prod(output.shape) != 1 and output.shape != expected.shape:\n",
        "c46_same_value",
    ),
    "tolerance × 100": (
        "kgate/compare.py",
        "metric.value <= limit:",
        "metric.value <= 100 * limit:",
        "c05_sum_in_bfloat16",
    ),
}


@pytest.fixture(scope="module")
def python() -> str:
    if "KGATE_TEST_WORKER_PYTHON" not in os.environ:
        pytest.skip("not run: set KGATE_TEST_WORKER_PYTHON to an interpreter with torch")
    return os.environ["KGATE_TEST_WORKER_PYTHON"]


@pytest.mark.parametrize("planted", MUTATIONS)
def test_a_fault_planted_in_the_gate_turns_the_zoo_red(planted: str, python: str, tmp_path: Path) -> None:
    file, old, new, specimen = MUTATIONS[planted]
    for folder in ("kgate", "schemas", "tests"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    sound = score(tmp_path, python, specimen)
    text = (tmp_path / file).read_text(encoding="utf-8")

    (tmp_path / file).write_text(text.replace(old, new), encoding="utf-8")
    mutated = score(tmp_path, python, specimen)

    assert text.count(old) == 1
    assert sound.returncode == 0, sound.stdout
    assert mutated.returncode == 1, mutated.stdout
    assert "1 missed" in mutated.stdout.splitlines()[-1]


def score(root: Path, python: str, specimen: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "tests.zoo.run", "--python", python, "--only", specimen]
    env = {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, timeout=300, check=False)
