"""`kgate doctor` as a user starts it, on this machine, whatever it is."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.contract.check.shop import Ended, Shop

pytestmark = pytest.mark.real


def examined(shop: Shop, *flags: str) -> Ended:
    return shop.kgate("doctor", *flags)


def torch_of(python: str) -> str:
    """As torch itself tells it."""
    asked = "import torch; print(f'{torch.__version__}, CUDA {torch.version.cuda or \"not built in\"}')"
    return subprocess.run([python, "-c", asked], capture_output=True, text=True, check=True).stdout.strip()


def test_this_machine_is_examined_and_nothing_is_left_behind(shop: Shop) -> None:
    ended = examined(shop, "--python", shop.python, "--format", "json")

    assert ended.code == 0, ended.err
    said = json.loads(ended.out)
    found = {line["topic"]: line for line in said["lines"]}
    assert said["manifest"] == "kgate.yaml"
    assert found["worker"]["state"] == found["torch"]["state"] == "ok"
    assert found["torch"]["found"] == torch_of(shop.python)
    assert (found["git"]["state"] == "ok") is bool(shutil.which("git"))
    (prospect,) = said["kernels"]
    assert (prospect["target"], prospect["runs"], prospect["kernels"]) == ("cpu", True, ["good"])
    assert not (shop.root / ".kgate").exists()


def test_an_interpreter_that_is_not_there_is_a_finding_and_no_failure(shop: Shop) -> None:
    ended = examined(shop, "--python", "./nowhere/python")

    assert ended.code == 0, ended.err
    assert "0 of 1 kernel can run here" in ended.out
    assert "nowhere/python: no such interpreter" in " ".join(ended.out.split())


def test_a_manifest_that_is_named_and_not_there_is_no_run(shop: Shop) -> None:
    ended = examined(shop, "--manifest", "nowhere.yaml")

    assert ended.code == 2
    assert "nowhere.yaml: no such file" in ended.err


def test_a_manifest_that_cannot_be_read_is_a_line(shop: Shop) -> None:
    path: Path = shop.root / "kgate.yaml"
    path.write_text(path.read_text().replace("kernels:", "kernel:", 1))

    ended = examined(shop, "--python", shop.python)

    assert ended.code == 0, ended.err
    assert "look      manifest" in ended.out
