"""`kgate capture` around the small transformer, `kgate init` on what it wrote, and `kgate check` on that."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from kgate import captured
from tests.contract.check.shop import LAUNCHER
from tests.contract.repository import git

pytestmark = pytest.mark.real
HERE = Path(__file__).resolve().parent
CALLS = {"linear_gelu": 24, "softmax": 24, "rows_of": 12}  # 3 prompts × 4 tokens × 2 layers; one look-up a token


# By their arguments: an index; symbols that the manifest declares; dimensions and a truth value.
CHECKED = [("rows_of",), pytest.param(("linear_gelu", "softmax", "rows_of"), marks=pytest.mark.nightly)]


def kgate(root: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run([*LAUNCHER, *arguments], cwd=root, env=env, capture_output=True, text=True, timeout=300)


@pytest.fixture
def product(root: Path) -> Path:
    """The repository of the small transformer, whose manifest has no workloads yet."""
    shutil.copytree(HERE / "product", root, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "A transformer")
    return root


@pytest.mark.parametrize("kernels", CHECKED, ids=len)
def test_what_a_run_called_becomes_workloads_that_check_runs(
    product: Path, worker_python: str, kernels: tuple[str, ...]
) -> None:
    recorded = kgate(product, "capture", "--python", worker_python, "--", "python", "-m", "acme.model")
    made = kgate(product, "init", "--from-capture", "capture.yaml", "--most", "1")

    assert (recorded.returncode, made.returncode) == (0, 0), recorded.stderr + made.stderr
    assert len(recorded.stdout.splitlines()) == 3  # the model's own output, and nothing of the gate's
    found = captured.read(product / "capture.yaml").kernels
    assert {name: entry.calls for name, entry in found.items()} == CALLS
    (product / "kgate.yaml").write_text(made.stdout)
    chosen = [word for name in kernels for word in ("--kernel", name)]
    checked = kgate(product, "check", "--python", worker_python, "--base", "none", "--launches", "1", *chosen)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    report = json.loads((product / ".kgate" / "last" / "report.json").read_text())
    assert [case["kernel"] for case in report["cases"]] == list(kernels)
    heads = [arm for case in report["cases"] for arm in case["arms"] if arm["arm"] == "head"]
    assert all(c["holds"] for arm in heads for c in arm["comparisons"])
    assert {w["weight"] for k in report["kernels"] for w in k["workloads"] if k["name"] == "rows_of"} == {9}  # decode


@pytest.mark.nightly
def test_no_process_is_lost_and_compiled_code_still_compiles(product: Path, worker_python: str) -> None:
    recorded = kgate(
        product, "capture", "--python", worker_python, "--kernel", "softmax", "--", "python", str(HERE / "busy.py")
    )

    assert recorded.returncode == 0, recorded.stderr
    (entry,) = captured.read(product / "capture.yaml").kernels.values()
    assert (entry.calls, len(entry.workloads)) == (10, 1)


def test_a_run_that_calls_nothing_is_no_record(product: Path, worker_python: str) -> None:
    recorded = kgate(product, "capture", "--python", worker_python, "--", "python", "-c", "raise SystemExit(4)")

    assert recorded.returncode == 3
    assert "nothing was called; the command ended with exit code 4" in recorded.stderr
    assert "linear_gelu: acme.ops:linear_gelu: its module was not imported" in recorded.stderr
    assert not (product / "capture.yaml").exists()
