"""The shipped examples through the gate, as `make quickstart` and `make broken` run them."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.check.shop import ROOT, Shop

pytestmark = pytest.mark.real

# Rule and kernel of every fault that examples/broken plants, and nothing else.
PLANTED = {
    ("contract-broken", "geglu"),
    ("wrong-result", "matmul"),
    ("wrong-result", "softmax"),
    ("fallback-raises", "rms_norm"),
    ("switch-without-effect", "swiglu"),
    ("owner-missing", "add"),
    ("slower-than-base", "layer_norm"),
}


@pytest.fixture
def staged(worker_python: str, tmp_path: Path):
    asked = "import importlib.util, sys; sys.exit(importlib.util.find_spec('tilelang') is None)"
    if subprocess.run([worker_python, "-c", asked], check=False).returncode:
        pytest.skip("not run: no interpreter with TileLang; set KGATE_TEST_WORKER_PYTHON to one")
    spec = importlib.util.spec_from_file_location("stage", ROOT / "examples" / "stage.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["stage"] = module
    spec.loader.exec_module(module)
    return lambda name: Shop(root=module.stage(name, tmp_path / name), python=worker_python)


@pytest.mark.skipif(
    "KGATE_NIGHTLY" not in os.environ, reason="not run: `make quickstart` runs the same, at full length"
)
def test_the_quickstart_passes(staged) -> None:
    ended = staged("quickstart").kgate("check", "--launches", "3")

    assert ended.code == 0, ended.out + ended.err
    assert ended.report["verdict"] == "pass"
    assert ended.out.startswith("kgate: pass: ")


def test_every_planted_fault_is_named_by_its_rule_and_nothing_else_is_blamed(staged) -> None:
    # Twelve launches are enough for a slowdown of a seventh; `make broken` takes as many as its cases ask for.
    ended = staged("broken").kgate("check", "--launches", "12")

    assert ended.code == 1, ended.out + ended.err
    assert {(f["rule"], f["kernel"]) for f in ended.findings(blocking=True)} == PLANTED
