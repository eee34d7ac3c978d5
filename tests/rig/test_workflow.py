"""The workflow that users copy, run by act on the runner's own host, with the shipped examples as the change."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.rig.conftest import GitHub
from tests.rig.programs import ACT, NODE

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW = (ROOT / "workflows" / "check.yml").read_text()
GATE = "OWNER/kgate@" + "0" * 40
WORKER = os.environ.get("KGATE_TEST_WORKER_PYTHON", "")


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", os.fspath(folder), *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def staged(name: str, folder: Path, manifest: str = "kgate.yaml") -> Path:
    """The example with the workflow in its last commit, as somebody would have pasted it, and an origin."""
    root = folder / name
    subprocess.run([sys.executable, os.fspath(ROOT / "examples" / "stage.py"), name, os.fspath(root)], check=True)
    path = root / ".github" / "workflows" / "kgate.yml"
    path.parent.mkdir(parents=True, exist_ok=True)
    # One launch and no drills: what is looked at here is the way from the gate's verdict to the job's.
    told = WORKFLOW.replace(".venv/bin/python", f'{WORKER}\n          launches: "1"\n          drills: none')
    path.write_text(told.replace("manifest: kgate.yaml", f"manifest: {manifest}"))
    git(root, "add", "--all")
    git(root, "-c", "user.name=A", "-c", "user.email=a@acme.example", "commit", "--quiet", "--amend", "--no-edit")
    git(root, "remote", "add", "origin", "git@github.com:acme/ops.git")
    return root


def acted(root: Path, github: GitHub, event: str, payload: object) -> "subprocess.CompletedProcess[str]":
    (root.parent / "event.json").write_text(json.dumps(payload))
    command = [
        os.fspath(ACT),
        event,
        *("--workflows", ".github/workflows/kgate.yml", "--eventpath", os.fspath(root.parent / "event.json")),
        *("--platform", "self-hosted=-self-hosted", "--no-cache-server", "--env", f"GITHUB_API_URL={github.url}"),
        *("--local-repository", f"{GATE}={ROOT}", "--secret", f"GITHUB_TOKEN={github.token()}"),
    ]
    # Nothing of this test's own environment but what a runner has.
    python = Path(sys.base_prefix) / "bin"
    environ = {"PATH": f"{python}:{NODE.parent}:{os.defpath}", "HOME": os.fspath(root.parent)}
    return subprocess.run(command, cwd=root, env=environ, capture_output=True, text=True, check=False, timeout=900)


def pull_of(root: Path) -> dict[str, object]:
    head, base = git(root, "rev-parse", "HEAD"), git(root, "rev-parse", "HEAD^")
    repo = {"id": 1}
    return {
        "number": 1,
        "head": {"sha": head, "repo": repo, "ref": "change"},
        "base": {"sha": base, "repo": repo, "ref": "main"},
    }


@pytest.mark.nightly
@pytest.mark.skipif(not WORKER, reason="not run: needs KGATE_TEST_WORKER_PYTHON")
@pytest.mark.parametrize(("name", "code", "verdict"), [("quickstart", 0, "pass"), ("broken", 1, "fail")])
def test_a_pull_request_ends_with_the_gates_verdict(github: GitHub, tmp_path: Path, name: str, code: int, verdict: str):
    root = staged(name, tmp_path)

    done = acted(root, github, "pull_request", {"pull_request": pull_of(root)})

    assert done.returncode == code, done.stdout[-4000:] + done.stderr[-2000:]
    assert f"::set-output:: verdict={verdict}\n" in done.stdout
    assert f"**kgate: {verdict}.**" in done.stdout  # the step's summary


@pytest.mark.nightly
def test_a_pull_request_without_a_manifest_fails_its_job_and_says_so(github: GitHub, tmp_path: Path):
    root = staged("quickstart", tmp_path, manifest="nowhere.yaml")

    done = acted(root, github, "pull_request", {"pull_request": pull_of(root)})

    assert done.returncode == 1, done.stdout[-4000:] + done.stderr[-2000:]
    assert "nowhere.yaml: no such file" in done.stdout
    assert "::set-output:: verdict=no-run\n" in done.stdout
    assert "::set-output:: exit-code=2\n" in done.stdout
    assert "**kgate judged nothing** (exit code 2)" in done.stdout
