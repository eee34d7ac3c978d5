"""Both examples, staged as the git repositories that users see, and what their kernels answer on the CPU."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.contract.examples import answers

ROOT = Path(__file__).resolve().parents[3]
Answers = dict[tuple[str, str], dict[str, Any]]  # by kernel and workload


def stage(name: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, os.fspath(ROOT / "examples" / "stage.py"), name, os.fspath(folder)]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", folder, *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture(scope="session")
def trees(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """quickstart-base, quickstart-head, broken-base, broken-head."""
    found = {}
    for name in ("quickstart", "broken"):
        head = tmp_path_factory.mktemp(name) / "head"
        assert stage(name, head).returncode == 0
        base = head.parent / "base"
        git(head, "worktree", "add", "--quiet", "--detach", os.fspath(base), "HEAD~1")
        found |= {f"{name}-base": base, f"{name}-head": head}
    return found


@pytest.fixture(scope="session")
def kernels_python() -> str:
    python = os.environ.get("KGATE_TEST_WORKER_PYTHON", "")
    if not python:
        pytest.skip("not run: set KGATE_TEST_WORKER_PYTHON to an interpreter with torch and TileLang")
    return python


@pytest.fixture(scope="session")
def told(trees: dict[str, Path], kernels_python: str) -> Callable[[str, str], Answers]:
    """What `answers.asked` says of a tree, asked once a session."""
    kept: dict[tuple[str, str], Answers] = {}

    def tell(tree: str, ask: str = "errors") -> Answers:
        if (tree, ask) not in kept:
            found = answers.asked(kernels_python, trees[tree], "cpu", ask)
            kept[tree, ask] = {(answer["kernel"], answer["workload"]): answer for answer in found}
        return kept[tree, ask]

    return tell
