"""`kgate check` as a user starts it: a process, in a repository of its own, with an interpreter that has torch."""

import importlib.util
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import dispatcher
from tests.contract.check.shop import GOOD, ROOT, Shop


@pytest.fixture
def shop(worker_python: str, tmp_path: Path) -> Shop:
    """A repository with one good kernel in its first commit."""
    made = Shop(root=tmp_path / "shop", python=worker_python)
    made.stock({"good": GOOD})
    made.commit("One kernel")
    return made


@pytest.fixture
def staged(worker_python: str, tmp_path: Path) -> Callable[[str], Shop]:
    """Makes an example of this name, as the git repository that users see."""
    asked = "import importlib.util, sys; sys.exit(importlib.util.find_spec('tilelang') is None)"
    if subprocess.run([worker_python, "-c", asked], check=False).returncode:
        pytest.skip("not run: no interpreter with TileLang; set KGATE_TEST_WORKER_PYTHON to one")
    spec = importlib.util.spec_from_file_location("stage", ROOT / "examples" / "stage.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["stage"] = module
    spec.loader.exec_module(module)

    def stage(name: str) -> Shop:
        path = dispatcher.path() if name == "gallery" else ""
        return Shop(root=module.stage(name, tmp_path / name), python=worker_python, path=path)

    return stage


@pytest.fixture(scope="session")
def stocked(worker_python: str) -> Callable[..., Shop]:
    def stock(root: Path, before: dict[str, str], after: dict[str, str], *, inner: str = ".", **kind: str) -> Shop:
        """Two commits: `before`, then `after` laid over it; `kind` is for Shop.stock."""
        made = Shop(root=root, python=worker_python, inner=inner)
        made.stock(before, **kind)
        made.commit("Before")
        made.stock(after, **kind)
        made.commit("After")
        return made

    return stock
