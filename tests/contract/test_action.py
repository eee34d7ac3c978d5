"""action.yml against the command line, the runner's rules, and a shell that does what the runner does."""

import json
import os
import re
import subprocess
from pathlib import Path

import click
import pytest
from ruamel.yaml import YAML

from kgate.cli import check

pytestmark = pytest.mark.real

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted([*(ROOT / "workflows").glob("*.yml"), *(ROOT / ".github" / "workflows").glob("*.yml")])
OF_THE_COMMENT = {"comment", "token"}  # inputs that are no options of `kgate check`


def document(path: Path) -> dict:
    return YAML(typ="safe").load(path)


@pytest.fixture(scope="module")
def action() -> dict:
    return document(ROOT / "action.yml")


@pytest.fixture
def runner(tmp_path: Path) -> dict[str, str]:
    """The variables that the runner sets for a step and that the action's scripts use."""
    for name in ("temp", "workspace"):
        (tmp_path / name).mkdir()
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "KGATE_"))},
        "RUNNER_TEMP": str(tmp_path / "temp"),
        "GITHUB_WORKSPACE": str(tmp_path / "workspace"),
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
    }


def outputs(runner: dict[str, str]) -> dict[str, str]:
    text = Path(runner["GITHUB_OUTPUT"]).read_text()
    return {
        **dict(re.findall(r"^([a-z-]+)=(.*)$", text, re.MULTILINE)),
        **{name: value for name, _, value in re.findall(r"^([a-z-]+)<<(\S+)\n(.*)\n\2$", text, re.MULTILINE)},
    }


def step(action: dict, identity: str, runner: dict[str, str], **env: str) -> subprocess.CompletedProcess[str]:
    """One step of the action, as the runner runs `shell: bash`."""
    script = next(s for s in action["runs"]["steps"] if s.get("id") == identity)["run"]
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        env={**runner, **env},
        cwd=runner["GITHUB_WORKSPACE"],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_inputs_are_the_options_of_check_that_a_variable_can_set(action):
    options = {o.envvar: o for o in check.params if isinstance(o, click.Option) and o.envvar}

    inputs = {f"KGATE_{name.upper()}" for name in action["inputs"] if name not in OF_THE_COMMENT}

    assert inputs == set(options)


def test_an_input_and_its_option_have_one_default(action, monkeypatch):
    named = {o.name: o.envvar for o in check.params if isinstance(o, click.Option) and o.envvar}
    for variable in named.values():
        monkeypatch.delenv(variable, raising=False)

    defaults = check.make_context("check", []).params

    assert {named[name]: str(value or "") for name, value in defaults.items() if name in named} == {
        f"KGATE_{name.upper()}": str(entry["default"])
        for name, entry in action["inputs"].items()
        if name not in OF_THE_COMMENT
    }


def test_every_input_reaches_the_gate_by_a_variable_and_none_by_the_text_of_a_script(action):
    steps = action["runs"]["steps"]

    mapped = {name for s in steps for name in re.findall(r"inputs\.(\w+)", json.dumps(s.get("env", {})))}

    assert mapped | {"comment"} == set(action["inputs"])
    assert not any("${{" in s["run"] for s in steps)


def test_the_action_uses_no_other_action_and_never_reaches_into_later_steps(action):
    text = (ROOT / "action.yml").read_text() + "".join(p.read_text() for p in (ROOT / "action").glob("*.sh"))

    assert not any("uses" in s for s in action["runs"]["steps"])
    assert "GITHUB_ENV" not in text
    assert "GITHUB_PATH" not in text


def test_only_the_comment_sees_the_token(action):
    holders = [s["name"] for s in action["runs"]["steps"] if "token" in json.dumps(s.get("env", {})).lower()]

    assert holders == ["Comment"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_no_job_on_a_machine_of_ones_own_can_write_or_see_a_secret(path):
    for job in document(path)["jobs"].values():
        if "self-hosted" in job["runs-on"]:
            assert set(job["permissions"].values()) <= {"read"}
            assert "secrets." not in json.dumps(job)
            assert all(
                s["with"]["persist-credentials"] is False for s in job["steps"] if "checkout@" in s.get("uses", "")
            )


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_every_action_is_pinned_by_commit_and_every_job_says_its_permissions(path):
    workflow = document(path)

    used = [s["uses"] for job in workflow["jobs"].values() for s in job["steps"] if "uses" in s]

    assert all(re.fullmatch(r"[\w.-]+(?:/[\w.-]+)+@[0-9a-f]{40}", name) for name in used), used
    assert workflow["permissions"] == {}
    assert all("permissions" in job for job in workflow["jobs"].values())


def test_the_action_installs_itself_and_blocks_with_the_exit_code_of_the_gate(action, runner):
    # A file that a pull request might leave where python is started.
    (Path(runner["GITHUB_WORKSPACE"]) / "json.py").write_text("raise SystemExit('imported from the workspace')")

    installed = step(action, "install", runner)
    assert installed.returncode == 0, installed.stderr
    made = outputs(runner)
    checked = step(
        action,
        "check",
        runner,
        KGATE_GATE=made["gate"],
        KGATE_RESULTS=made["results"],
        KGATE_LAUNCHES="",
        KGATE_BASE="",
    )

    assert Path(made["gate"]).is_relative_to(runner["RUNNER_TEMP"])
    assert checked.returncode == 2, checked.stderr  # there is no manifest in this workspace
    assert "kgate.yaml" in checked.stderr
    assert outputs(runner)["verdict"] == "no-run"
    assert outputs(runner)["exit-code"] == "2"
