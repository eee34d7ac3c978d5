"""Where a gradient's way leads through a product, and what raises on it once; no torch is needed for that."""

import importlib
import sys
from pathlib import Path

import pytest

from kgate.worker.conditions._trail import Trail, raising_once

GRADIENT = """\
import json
from acme_kernels import double

def ruled(above):
    return [float(part) for part in above]

def gradient(above):
    try:
        return launched(ruled(above))
    except RuntimeError:
        return [double(part) for part in above]

def launched(above):
    json.dumps(above)
    return [double(part) for part in above]
"""
KERNELS = "def double(part):\n    return part + part\n"


@pytest.fixture
def gradient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "acme_gradient.py").write_text(GRADIENT)
    (tmp_path / "acme_kernels.py").write_text(KERNELS)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("acme_gradient", "acme_kernels"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return importlib.import_module("acme_gradient").gradient


def test_of_the_products_functions_the_one_furthest_down_is_found_whoever_holds_it(gradient, tmp_path: Path) -> None:
    trail = Trail(str(tmp_path))

    with trail.followed():
        gradient([1, 2])

    assert [f.__qualname__ for f in trail.end()] == ["double"]


def test_it_raises_once_since_a_way_out_may_call_it_as_well(gradient, tmp_path: Path) -> None:
    trail = Trail(str(tmp_path))
    said: list[str] = []
    with trail.followed():
        gradient([1, 2])

    def error() -> Exception:
        said.append("raised")
        return RuntimeError("out of shared memory")

    with raising_once(trail.end(), error):
        answer = gradient([3, 4])

    assert (answer, said) == ([6, 8], ["raised"])


def test_code_without_a_file_is_nobodys_even_where_the_process_stands_in_the_tree(
    gradient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    trail = Trail(str(tmp_path))

    with trail.followed():
        exec("def made():\n    return 1\nmade()")

    assert list(trail.end()) == []
