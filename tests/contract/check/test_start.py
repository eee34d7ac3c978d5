"""docs/start.md as it stands, typed in a repository that has kernels and tests and nothing of the gate."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.contract.check.shop import Shop
from tests.contract.repository import git

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "start.md"
TESTS = """\
import pytest
import torch

from acme.linear_gelu import linear_gelu
from acme.row_softmax import row_softmax
from acme.vector_add import vector_add


@pytest.mark.parametrize("n", [1, 1025])
def test_vector_add(n):
    x, y = torch.randn(n), torch.randn(n)
    torch.testing.assert_close(vector_add(x, y), x + y)


@pytest.mark.parametrize(("rows", "columns"), [(3, 1025), (256, 128)])
def test_row_softmax(rows, columns):
    x = torch.randn(rows, columns)
    torch.testing.assert_close(row_softmax(x), torch.softmax(x, dim=-1))


@pytest.mark.parametrize("tokens", [1, 17])
def test_linear_gelu(tokens):
    x, w, b = torch.randn(tokens, 129), torch.randn(129, 65), torch.randn(65)
    assert linear_gelu(x, w, b).shape == (tokens, 65)
"""

pytestmark = [pytest.mark.real, pytest.mark.nightly]


def blocks() -> list[str]:
    """Without the first one, which installs: the gate is here."""
    return re.findall(r"^```\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)[1:]


@pytest.fixture
def repository(staged: Callable[[str], Shop]) -> Shop:
    """The quickstart's kernels with tests, in a history that has never had a manifest."""
    shop = staged("quickstart")
    (shop.root / "kgate.yaml").unlink()
    (shop.root / "tests").mkdir()
    (shop.root / "tests" / "test_ops.py").write_text(TESTS)
    shutil.rmtree(shop.root / ".git")
    git(shop.root, "init", "--quiet")
    shop.commit("Kernels and tests")
    return shop


@pytest.fixture
def environ(repository: Shop, tmp_path: Path) -> dict[str, str]:
    """`kgate` is this checkout's; the kernels' interpreter is that of all real tests."""
    own = tmp_path / "bin"
    own.mkdir()
    (own / "kgate").write_text(f'#!/bin/sh\nexec {sys.executable} -m kgate "$@"\n')
    (own / "kgate").chmod(0o755)
    return {
        **{k: v for k, v in os.environ.items() if not k.startswith(("GITHUB_", "KGATE_"))},
        "PATH": f"{own}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "KGATE_PYTHON": repository.python,
        "KGATE_LAUNCHES": "2",  # how long latency is looked at is no question of this page
        "KGATE_DRILLS": "none",
    }


def test_five_minutes_end_in_a_verdict_that_blocks_nothing(repository: Shop, environ: dict[str, str]) -> None:
    lines = [line for block in blocks() for line in block.splitlines()]
    typed = [line for line in lines if "capture" not in line and "--adopt" not in line]

    ended = [
        subprocess.run(shlex.split(line), cwd=repository.root, env=environ, capture_output=True, check=False)
        for line in typed
    ]

    assert typed == ["kgate init", "kgate check --list", "kgate doctor", "kgate check"]
    assert [done.returncode for done in ended] == [0, 0, 0, 0], ended[-1].stdout.decode()
    entries = [line for line in (repository.root / "kgate.yaml").read_text().splitlines() if line[:1] != "#"]
    assert not any("FILL_IN" in line for line in entries)
