"""action/compile: its inputs against `kgate compile`, and its step as the runner runs it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from ruamel.yaml import YAML

from kgate.cli import compile_

pytestmark = pytest.mark.real

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def action() -> dict:
    return YAML(typ="safe").load(ROOT / "action" / "compile" / "action.yml")


def test_every_option_with_a_variable_is_an_input_with_the_same_default(action, monkeypatch):
    named = {o.name: o.envvar for o in compile_.params if isinstance(o, click.Option) and o.envvar}
    for variable in named.values():
        monkeypatch.delenv(variable, raising=False)

    defaults = compile_.make_context("compile", []).params

    assert {named[name]: str(value or "") for name, value in defaults.items() if name in named} == {
        f"KGATE_{name.upper()}": str(entry["default"]) for name, entry in action["inputs"].items()
    }


def test_every_input_reaches_the_gate_by_a_variable_and_none_by_the_text_of_a_script(action):
    steps = action["runs"]["steps"]

    mapped = {name for s in steps for name in re.findall(r"inputs\.(\w+)", json.dumps(s.get("env", {})))}

    assert mapped == set(action["inputs"])
    assert not any("${{" in s["run"] or "uses" in s for s in steps)


def test_the_step_ends_with_the_exit_code_of_the_gate_and_tells_it(action, tmp_path):
    script = action["runs"]["steps"][-1]["run"]
    env = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "KGATE_"))},
        "GITHUB_ACTION_PATH": str(ROOT / "action" / "compile"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "KGATE_GATE": str(gate(tmp_path)),
        "KGATE_MANIFEST": "kgate.yaml",
        "KGATE_JOBS": "",
    }

    ended = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=tmp_path,
        env=env,
        check=False,
        capture_output=True,
        text=True,
    )

    assert ended.returncode == 2, ended.stderr  # there is no manifest in this folder
    assert "kgate.yaml" in ended.stderr
    assert (tmp_path / "output").read_text() == "exit-code=2\n"
    word = re.fullmatch(r"::stop-commands::(\w{32})", ended.stdout.splitlines()[0])
    assert word is not None
    assert ended.stdout.splitlines()[-1] == f"::{word[1]}::"


def gate(folder: Path) -> Path:
    """An interpreter that knows this checkout even where variables are ignored, as the one that the action makes."""
    made = folder / "gate"
    made.write_text(f'#!/bin/sh\nshift\nPYTHONPATH="{ROOT}" exec "{sys.executable}" "$@"\n')
    made.chmod(0o755)
    return made
