"""action.yml against the command line, the runner's rules, and a shell that does what the runner does."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from ruamel.yaml import YAML

from kgate.cli import check
from tests.contract.joined import CODE, text
from tests.contract.repository import commit, git

pytestmark = pytest.mark.real

ROOT = Path(__file__).resolve().parents[2]
OF_THE_COMMENT = {"comment", "token"}
OF_OTHER_MODES = {"mode", "head", "shards", "proofs", "legs", "needs", "wheelhouse"}
OTHERS = OF_THE_COMMENT | OF_OTHER_MODES  # inputs that are no options of `kgate check`


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

    inputs = {f"KGATE_{name.upper()}" for name in action["inputs"] if name not in OTHERS}

    assert inputs == set(options)


def test_an_input_and_its_option_have_one_default(action, monkeypatch):
    named = {o.name: o.envvar for o in check.params if isinstance(o, click.Option) and o.envvar}
    for variable in named.values():
        monkeypatch.delenv(variable, raising=False)

    defaults = check.make_context("check", []).params

    assert {named[name]: str(value or "") for name, value in defaults.items() if name in named} == {
        f"KGATE_{name.upper()}": str(entry["default"]) for name, entry in action["inputs"].items() if name not in OTHERS
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


def test_only_what_speaks_to_github_sees_the_token(action):
    holders = [s["name"] for s in action["runs"]["steps"] if "token" in json.dumps(s.get("env", {})).lower()]

    assert holders == ["Read the reviews", "Comment"]  # of which the first runs in mode report alone
    (reading,) = [s for s in action["runs"]["steps"] if s["name"] == holders[0]]
    assert reading["if"] == "${{ inputs.mode == 'report' }}"


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An interpreter that knows this checkout even where variables are ignored, as the one that the action makes."""
    made = tmp_path_factory.mktemp("gate") / "python"
    made.write_text(f'#!/bin/sh\nshift\nPYTHONPATH="{ROOT}" exec "{sys.executable}" "$@"\n')
    made.chmod(0o755)
    return str(made)


def run(action: dict, runner: dict[str, str], gate: str, mode: str, **env: str) -> subprocess.CompletedProcess[str]:
    """The action's own step, with what its inputs are where nobody gives them."""
    unset = {f"KGATE_{name.upper()}": entry["default"] for name, entry in action["inputs"].items() if name != "token"}
    results = str(Path(runner["RUNNER_TEMP"]) / "results")
    given = {**unset, "KGATE_GATE": gate, "KGATE_REVIEWS": "", "KGATE_RESULTS": results, "KGATE_MODE": mode, **env}
    return step(action, "gate", runner, **given)


def test_the_action_installs_itself_and_blocks_with_the_exit_code_of_the_gate(action, runner):
    # A file that a pull request might leave where python is started.
    (Path(runner["GITHUB_WORKSPACE"]) / "json.py").write_text("raise SystemExit('imported from the workspace')")

    installed = step(action, "install", runner, KGATE_WHEELHOUSE="")
    assert installed.returncode == 0, installed.stderr
    made = outputs(runner)
    checked = run(action, runner, made["gate"], "check", KGATE_LAUNCHES="", KGATE_BASE="")

    assert Path(made["gate"]).is_relative_to(runner["RUNNER_TEMP"])
    assert checked.returncode == 2, checked.stdout  # there is no manifest in this workspace
    assert "kgate.yaml" in checked.stdout
    assert outputs(runner)["verdict"] == "no-run"
    assert outputs(runner)["exit-code"] == "2"


@pytest.mark.nightly
def test_with_a_wheelhouse_nothing_is_fetched(action, runner, tmp_path):
    (tmp_path / "wheels").mkdir()

    installed = step(action, "install", runner, KGATE_WHEELHOUSE=str(tmp_path / "wheels"), PIP_RETRIES="0")

    assert installed.returncode != 0
    assert "No matching distribution found" in installed.stderr


def test_a_mode_that_is_none_runs_nothing(action, runner, gate):
    done = run(action, runner, gate, "../../bin/true")

    assert done.returncode == 2
    assert done.stderr == "kgate: mode: it is none of check, plan, measure and report\n"


def test_what_the_gate_prints_is_no_command_for_the_runner(action, runner, tmp_path):
    """A gate that quotes a kernel's words as they are, and would end the silence if it knew the word."""
    loud = tmp_path / "python"
    loud.write_text(
        "#!/bin/sh\n"
        f'case "$*" in *secrets*|*kgate.github.log*) shift; PYTHONPATH="{ROOT}" exec "{sys.executable}" "$@";; esac\n'
        "printf '::set-output name=verdict::pass\\n x ##[add-mask]y\\r::stop-commands::z'; exit 3\n"
    )
    loud.chmod(0o755)

    done = run(action, runner, str(loud), "measure")

    first, *said, last = done.stdout.splitlines()[:5]
    word = re.fullmatch(r"::stop-commands::(\w{32})", first)
    assert word is not None
    assert last == f"::{word[1]}::"
    assert not any(line.lstrip().startswith("::") or "##[" in line for line in said)
    assert done.returncode == 3


def test_measuring_ends_well_where_there_is_something_to_judge_whatever_the_gate_said(action, runner, tmp_path):
    writes = tmp_path / "python"
    writes.write_text(
        "#!/bin/sh\n"
        f'case "$*" in "-I -m kgate check") echo seen >"$KGATE_RESULTS/ledger.jsonl"; exit 1;; esac\n'
        f'shift; PYTHONPATH="{ROOT}" exec "{sys.executable}" "$@"\n'
    )
    writes.chmod(0o755)

    done = run(action, runner, str(writes), "measure")

    assert done.returncode == 0, done.stdout
    assert outputs(runner)["exit-code"] == "1"
    assert "verdict" not in outputs(runner)


@pytest.mark.nightly
def test_a_report_of_an_earlier_job_does_not_pass_for_this_ones(action, runner, gate):
    results = Path(runner["RUNNER_TEMP"]) / "results"
    results.mkdir()
    for name in ("report.json", "ledger.jsonl"):
        (results / name).write_text("{}")

    done = run(action, runner, gate, "measure")

    assert done.returncode == 2, done.stdout  # there is no manifest in this workspace
    assert list(results.iterdir()) == []


@pytest.mark.parametrize("left_out", ["KGATE_BASE", "KGATE_LEGS"])
def test_a_report_without_a_base_or_legs_is_refused(action, runner, gate, left_out):
    given = {"KGATE_BASE": "HEAD^1", "KGATE_LEGS": runner["RUNNER_TEMP"], left_out: ""}

    done = run(action, runner, gate, "report", **given)

    assert done.returncode == 2
    assert done.stderr == "kgate: mode report needs the inputs base and legs\n"


@pytest.fixture
def changed(runner, monkeypatch) -> Path:
    """The workspace, a repository of two commits with one kernel that needs a GPU."""
    for name in ("GIT_AUTHOR", "GIT_COMMITTER"):
        monkeypatch.setenv(f"{name}_NAME", "A")
        monkeypatch.setenv(f"{name}_EMAIL", "a@example.com")
    root = Path(runner["GITHUB_WORKSPACE"])
    git(root, "init", "--quiet")
    commit(root, "acme/ops.py", CODE)
    commit(root, "kgate.yaml", text())
    commit(root, "acme/ops.py", CODE + "# faster\n")
    return root


def test_a_plan_is_a_matrix_and_a_report_that_lacks_a_leg_leaves_no_verdict(action, runner, gate, changed):
    planned = run(action, runner, gate, "plan", KGATE_BASE="HEAD^1")
    reported = run(action, runner, gate, "report", KGATE_BASE="HEAD^1", KGATE_LEGS=str(changed / ".." / "legs"))

    assert (planned.returncode, reported.returncode) == (0, 3), reported.stdout
    assert json.loads(outputs(runner)["matrix"])["include"] == [
        {"name": "h200-1of1", "gpu": "h200", "shard": 1, "shards": 1, "required": True}
    ]
    assert json.loads(Path(outputs(runner)["plan"]).read_text())["legs"][0]["name"] == "h200-1of1"
    assert outputs(runner)["verdict"] == "no-verdict"
    assert "leg h200-1of1 is missing" in Path(runner["GITHUB_STEP_SUMMARY"]).read_text()
