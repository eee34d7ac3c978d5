"""A repository of a test's own, and an interpreter that has torch."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.repository import git

# Of what is tested here little is about drills, and every run would do them; tests of drills take this away again.
os.environ.setdefault("KGATE_DRILLS", "none")


@pytest.fixture(scope="session")
def worker_python() -> str:
    python = os.environ.get("KGATE_TEST_WORKER_PYTHON", sys.executable)
    asked = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"
    if subprocess.run([python, "-c", asked], check=False).returncode:
        pytest.skip("not run: no interpreter with torch; set KGATE_TEST_WORKER_PYTHON to one")
    return python


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty repository; nothing of the machine's git settings, an author, and leave to clone from this machine."""
    settings = tmp_path_factory.mktemp("git") / "config"
    settings.write_text(
        '[user]\nname = A\nemail = a@example.com\n[init]\ndefaultBranch = main\n[protocol "file"]\nallow = always\n'
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init", "--quiet")
    return root
