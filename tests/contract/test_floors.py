"""The floors hold: a violation planted at every boundary, in a copy, is named by the linter."""

import configparser
import os
import re
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

pytestmark = pytest.mark.real

ROOT = Path(__file__).resolve().parents[2]
LINTER = Path(sys.executable).with_name("lint-imports")


def floors() -> list[list[str]]:
    """Top first; each floor's rooms side by side."""
    config = configparser.ConfigParser()
    config.read(ROOT / ".importlinter")
    return [re.findall(r"\w+", line) for line in config["importlinter:contract:floors"]["layers"].split("\n") if line]


def violations() -> list[tuple[str, str]]:
    """(importer, imported): each floor the one above it, and each room its neighbour."""
    layers = floors()
    upwards = [(lower[0], upper[0]) for upper, lower in pairwise(layers)]
    sideways = [(a, b) for layer in layers for a, b in pairwise(layer)]
    return upwards + sideways


def planted(folder: Path, importer: str, line: str) -> None:
    path = folder / "kgate" / importer / "__init__.py"
    path = path if path.is_file() else folder / "kgate" / f"{importer}.py"
    path.write_text(path.read_text() + f"\n{line}\n")


def linted(folder: Path) -> subprocess.CompletedProcess[str]:
    shutil.copytree(ROOT / "kgate", folder / "kgate", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / ".importlinter", folder)
    for importer, imported in violations():
        planted(folder, importer, f"import kgate.{imported}")
    planted(folder, "rules", "import subprocess")
    planted(folder, "stats", "import torch")
    planted(folder, "load", "import urllib3")
    planted(folder, "model", "import kgate_dispatch")
    environ = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1"}
    return subprocess.run([LINTER, "--no-cache"], cwd=folder, env=environ, capture_output=True, text=True, check=False)


def test_a_violation_of_each_floor_is_caught(tmp_path):
    answer = linted(tmp_path)

    said = " ".join(answer.stdout.split())
    missed = [pair for pair in violations() if f"kgate.{pair[0]} is not allowed to import kgate.{pair[1]}" not in said]
    assert answer.returncode == 1, answer.stdout + answer.stderr
    assert missed == []
    for importer, imported in (("rules", "subprocess"), ("stats", "torch"), ("load", "urllib3")):
        assert f"kgate.{importer} is not allowed to import {imported}" in said
    assert "kgate is not allowed to import kgate_dispatch: - kgate.model -> kgate_dispatch" in said
