"""Which pull request a run belongs to, from GitHub's own variables and payload."""

import json
from pathlib import Path

import pytest

from kgate.errors import DeliveryError
from kgate.github import event

HEAD, BASE, MERGED = "1" * 40, "2" * 40, "3" * 40


def environ(folder: Path, name: str, payload: object) -> dict[str, str]:
    path = folder / "event.json"
    path.write_text(payload if isinstance(payload, str) else json.dumps(payload))
    return {
        "GITHUB_EVENT_NAME": name,
        "GITHUB_EVENT_PATH": str(path),
        "GITHUB_REPOSITORY": "acme/ops",
        "GITHUB_SHA": MERGED,
        "GITHUB_RUN_ID": "900",
        "GITHUB_RUN_ATTEMPT": "2",
    }


def pull(number: object = 7, head: object = HEAD, theirs: object = 1) -> dict[str, object]:
    repo = None if theirs is None else {"id": theirs}
    return {"number": number, "head": {"sha": head, "repo": repo}, "base": {"sha": BASE, "repo": {"id": 1}}}


@pytest.mark.parametrize("name", ["pull_request", "pull_request_review"])
def test_a_pull_request_is_known_by_number_and_by_the_tips_of_both_branches(tmp_path, name):
    seen = event.read(environ(tmp_path, name, {"pull_request": pull()}))

    assert (seen.pull, seen.head, seen.base, seen.fork) == (7, HEAD, BASE, False)
    assert (seen.run, seen.attempt, seen.repository) == (900, 2, "acme/ops")


@pytest.mark.parametrize("theirs", [2, None], ids=["fork", "deleted fork"])
def test_a_head_in_another_repository_is_a_fork(tmp_path, theirs):
    assert event.read(environ(tmp_path, "pull_request", {"pull_request": pull(theirs=theirs)})).fork


def test_a_merge_group_has_commits_and_no_pull_request(tmp_path):
    seen = event.read(environ(tmp_path, "merge_group", {"merge_group": {"head_sha": HEAD, "base_sha": BASE}}))

    assert (seen.pull, seen.head, seen.base) == (None, HEAD, BASE)


def test_a_push_has_its_own_commit_and_no_pull_request(tmp_path):
    seen = event.read(environ(tmp_path, "push", {"after": HEAD}))

    assert (seen.pull, seen.head, seen.base) == (None, MERGED, "")


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("pull_request", {"pull_request": pull(number="7")}),
        ("pull_request", {"pull_request": pull(number=True)}),
        ("pull_request", {"pull_request": pull(number=-7)}),
        ("pull_request", {"pull_request": pull(head=None)}),
        ("pull_request", {"pull_request": pull(head="main; rm -rf /")}),
        ("pull_request", {"pull_request": pull(head=HEAD.upper().replace("1", "A"))}),
        ("pull_request", {}),
        ("merge_group", {"merge_group": {"head_sha": HEAD}}),
        ("pull_request", []),
        ("pull_request", "{"),
        ("pull_request", "[" * 100_000),
    ],
)
def test_a_payload_of_another_shape_is_refused_in_a_sentence(tmp_path, name, payload):
    with pytest.raises(DeliveryError, match=r"GITHUB_EVENT_PATH|is no commit hash"):
        event.read(environ(tmp_path, name, payload))


@pytest.mark.parametrize("name", ["GITHUB_EVENT_NAME", "GITHUB_EVENT_PATH", "GITHUB_REPOSITORY", "GITHUB_RUN_ID"])
def test_a_missing_variable_is_named(tmp_path, name):
    variables = environ(tmp_path, "pull_request", {"pull_request": pull()})
    del variables[name]

    with pytest.raises(DeliveryError, match=name):
        event.read(variables)


@pytest.mark.parametrize("number", ["", "-1", "1e3", "９", "1" * 19])
def test_a_run_number_is_digits(tmp_path, number):
    variables = environ(tmp_path, "push", {}) | {"GITHUB_RUN_ID": number}

    with pytest.raises(DeliveryError, match="GITHUB_RUN_ID"):
        event.read(variables)


FOLLOWED = {
    "id": 41,
    "run_attempt": 3,
    "event": "pull_request",
    "head_sha": HEAD,
    "head_branch": "feature/x",
    "head_repository": {"id": 2, "owner": {"login": "forker"}},
    "repository": {"id": 1},
}


def test_a_followed_run_is_known_by_its_own_number_commit_and_branch(tmp_path):
    seen = event.read(environ(tmp_path, "workflow_run", {"workflow_run": FOLLOWED}))

    assert (seen.run, seen.attempt, seen.head, seen.pull, seen.fork) == (41, 3, HEAD, None, True)
    assert seen.source == event.Source(owner="forker", branch="feature/x", repository=2, base_repository=1)


@pytest.mark.parametrize("name", ["push", "schedule", "merge_group"])
def test_a_followed_run_of_no_pull_request_has_no_source(tmp_path, name):
    seen = event.read(environ(tmp_path, "workflow_run", {"workflow_run": {**FOLLOWED, "event": name}}))

    assert seen.source is None


@pytest.mark.parametrize(
    "changes",
    [
        {"id": "41"},
        {"run_attempt": True},
        {"head_sha": "main"},
        {"head_branch": None},
        {"head_repository": None},
        {"repository": {}},
    ],
    ids=repr,
)
def test_a_followed_run_of_another_form_is_refused_in_a_sentence(tmp_path, changes):
    with pytest.raises(DeliveryError, match=r"GITHUB_EVENT_PATH|is no commit hash"):
        event.read(environ(tmp_path, "workflow_run", {"workflow_run": {**FOLLOWED, **changes}}))
