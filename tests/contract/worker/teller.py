"""What adapters tell under an interpreter of their own: `telling.py`, run and read."""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[2]


@dataclass(frozen=True, kw_only=True)
class Teller:
    python: str
    dsl: str
    scratch: Path
    env: Mapping[str, str] = field(default_factory=dict)

    def asks(self, how: str, *entries: str, tree: Path = HERE / "samples", **env: str) -> list[dict[str, Any]]:
        """One answer for each entry, a function of `tree`; `how` is "used" or an architecture."""
        paths = os.pathsep.join(map(os.fspath, (ROOT, tree)))
        done = subprocess.run(
            [self.python, os.fspath(HERE / "telling.py"), self.dsl, how, *entries],
            env={**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", **self.env, **env},
            cwd=self.scratch,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def only(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """The one kernel that a call compiled, which went well."""
    assert answer["error"] is None
    (built,) = answer["built"]
    return dict(built)


def python_with(interpreter: str, packages: Sequence[str]) -> str:
    """The user's interpreter, or the tests are not run."""
    asked = "import importlib.util, sys; sys.exit(not all(map(importlib.util.find_spec, sys.argv[1:])))"
    if subprocess.run([interpreter, "-c", asked, *packages], check=False).returncode:
        pytest.skip(f"not run: no interpreter with {' and '.join(packages)}")
    return interpreter
