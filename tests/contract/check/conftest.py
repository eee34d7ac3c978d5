"""`kgate check` as a user starts it: a process, in a repository of its own, with an interpreter that has torch."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.contract.check.shop import GOOD, Shop


@pytest.fixture(scope="session")
def worker_python() -> str:
    python = os.environ.get("KGATE_TEST_WORKER_PYTHON", sys.executable)
    asked = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"
    if subprocess.run([python, "-c", asked], check=False).returncode:
        pytest.skip("not run: no interpreter with torch; set KGATE_TEST_WORKER_PYTHON to one")
    return python


@pytest.fixture
def shop(worker_python: str, tmp_path: Path) -> Shop:
    """A repository with one good kernel in its first commit."""
    made = Shop(root=tmp_path / "shop", python=worker_python)
    made.stock({"good": GOOD})
    made.commit("One kernel")
    return made


@pytest.fixture(scope="session")
def stocked(worker_python: str) -> Callable[..., Shop]:
    def stock(root: Path, before: dict[str, str], after: dict[str, str], *, top: str = "", inner: str = ".") -> Shop:
        """Two commits: `before`, then `after` laid over it."""
        made = Shop(root=root, python=worker_python, inner=inner)
        made.stock(before, top=top)
        made.commit("Before")
        made.stock(after, top=top)
        made.commit("After")
        return made

    return stock
