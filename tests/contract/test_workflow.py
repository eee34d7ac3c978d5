"""workflows/check.yml: what it compares, in a repository such as GitHub makes for a pull request."""

import os
import subprocess
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from kgate.load import tree

pytestmark = pytest.mark.real

WORKFLOW = Path(__file__).resolve().parents[2] / "workflows" / "check.yml"


@pytest.fixture(autouse=True)
def _own_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the machine's git settings, and an author."""
    for name in ("GIT_AUTHOR", "GIT_COMMITTER"):
        monkeypatch.setenv(f"{name}_NAME", "A")
        monkeypatch.setenv(f"{name}_EMAIL", "a@example.com")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)


def git(root: Path, *args: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *args], check=True, capture_output=True, text=True, timeout=60)
    return done.stdout.strip()


def commit(root: Path, name: str) -> str:
    (root / name).write_text("x\n")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", name)
    return git(root, "rev-parse", "HEAD")


@pytest.fixture
def steps() -> list[dict]:
    return YAML(typ="safe").load(WORKFLOW)["jobs"]["kgate"]["steps"]


def with_of(steps: list[dict], action: str) -> dict:
    return next(s["with"] for s in steps if s.get("uses", "").startswith(action))


def test_a_pull_request_is_held_against_the_target_branch_as_it_was_merged(steps, tmp_path):
    root, job = tmp_path / "upstream", tmp_path / "job"
    root.mkdir()
    git(root, "init", "--quiet", "--initial-branch=release")
    old = commit(root, "one")
    git(root, "switch", "--quiet", "--create=change")
    commit(root, "change")
    git(root, "switch", "--quiet", "release")
    today = commit(root, "merged meanwhile by others")
    git(root, "switch", "--quiet", "--detach", "release")
    git(root, "merge", "--quiet", "--no-ff", "change", "--message=merge")
    git(root, "update-ref", "refs/pull/7/merge", "HEAD")
    # What actions/checkout does with a depth of 2; the workflow's 0 fetches more.
    git(tmp_path, "init", "--quiet", str(job))
    git(job, "fetch", "--quiet", "--depth=2", root.as_uri(), "refs/pull/7/merge")
    git(job, "checkout", "--quiet", "--detach", "FETCH_HEAD")

    base = tree.resolve_base(job, "HEAD^1")

    assert base.commit == today != old
    assert with_of(steps, "OWNER/kgate@")["base"] == "${{ github.event.merge_group.base_sha || 'HEAD^1' }}"


def test_the_history_that_the_base_needs_is_fetched(steps):
    assert with_of(steps, "actions/checkout@")["fetch-depth"] == 0
