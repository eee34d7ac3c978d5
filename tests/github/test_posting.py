"""Which run's results go to which pull request, and when there is nothing to say."""

import json
from pathlib import Path

import pytest

from kgate.errors import DeliveryError
from kgate.github import comment
from tests.github.conftest import HEAD, TOKEN, pull_of

pytestmark = pytest.mark.real


def results(folder: Path, **facts: object) -> None:
    (folder / "report.json").write_text(json.dumps({"manifest": "kgate.yaml", **facts}))
    (folder / "comment.md").write_text(f"**kgate: {facts['verdict']}**\n")


def environment(fake, folder: Path, event: str, payload: object) -> dict[str, str]:
    (folder / "event.json").write_text(json.dumps(payload))
    return {
        "GITHUB_API_URL": fake.url,
        "GITHUB_REPOSITORY": "acme/ops",
        "GITHUB_EVENT_NAME": event,
        "GITHUB_EVENT_PATH": str(folder / "event.json"),
        "GITHUB_RUN_ID": "12",
        "GITHUB_RUN_ATTEMPT": "3",
        "KGATE_TOKEN": TOKEN,
    }


def test_a_run_posts_the_comment_that_check_left(fake, tmp_path: Path):
    results(tmp_path, verdict="warn")
    environ = environment(fake, tmp_path, "pull_request", {"pull_request": pull_of(HEAD)})

    comment.post(tmp_path, environ)

    marker, text = fake.comments[0]["body"].splitlines()
    assert marker.startswith(f"<!-- kgate manifest=kgate.yaml run=12 attempt=3 head={HEAD} verdict=warn nonce=")
    assert text == "**kgate: warn**"
    assert fake.headers[-1]["authorization"] == f"Bearer {TOKEN}"


FOLLOWED = {
    "id": 99,
    "run_attempt": 2,
    "event": "pull_request",
    "head_sha": HEAD,
    "head_branch": "feature",
    "head_repository": {"id": 5, "owner": {"login": "forker"}},
    "repository": {"id": 1},
}


def followed(fake, folder: Path, **changes: object) -> dict[str, str]:
    return environment(fake, folder, "workflow_run", {"workflow_run": {**FOLLOWED, **changes}})


def test_the_comment_of_a_fork_goes_to_the_one_pull_request_of_its_branch_repository_and_commit(fake, tmp_path):
    results(tmp_path, verdict="fail")
    fake.opened = [
        pull_of("e" * 40, number=5, theirs=5),  # another commit of that branch
        pull_of(HEAD, number=6, theirs=4),  # a branch of that name elsewhere
        pull_of(HEAD, number=7, theirs=5),
    ]

    comment.post(tmp_path, followed(fake, tmp_path))

    assert [path for verb, path in fake.requests if verb == "POST"] == ["/repos/acme/ops/issues/7/comments"]
    assert fake.comments[0]["body"].startswith(f"<!-- kgate manifest=kgate.yaml run=99 attempt=2 head={HEAD} ")


def test_a_run_of_a_fork_that_has_moved_on_is_posted_nowhere(fake, tmp_path, writes):
    results(tmp_path, verdict="fail")
    fake.opened = [pull_of("e" * 40, theirs=5)]

    delivery = comment.post(tmp_path, followed(fake, tmp_path))

    assert "no open pull request is at commit aaaaaaaaa" in delivery.sentence
    assert writes() == []


def test_two_pull_requests_of_one_commit_get_no_comment(fake, tmp_path, writes):
    results(tmp_path, verdict="fail")
    fake.opened = [pull_of(HEAD, number=6, theirs=5), pull_of(HEAD, number=7, theirs=5)]

    with pytest.raises(DeliveryError, match="pull requests 6, 7"):
        comment.post(tmp_path, followed(fake, tmp_path))

    assert writes() == []


def test_a_run_that_followed_no_pull_request_has_nothing_to_comment_on(fake, tmp_path):
    results(tmp_path, verdict="pass")

    delivery = comment.post(tmp_path, followed(fake, tmp_path, event="schedule"))

    assert "a workflow_run (schedule) run has no pull request" in delivery.sentence
    assert fake.requests == []


@pytest.mark.parametrize(
    ("facts", "comments"),
    [
        ({"verdict": "pass", "untouched": True}, 0),
        ({"verdict": "pass", "untouched": False}, 1),
        ({"verdict": "pass", "untouched": "yes"}, 1),
        ({"verdict": "warn", "untouched": True}, 1),
        ({"verdict": "fail", "untouched": True}, 1),
        ({"verdict": "pass"}, 1),
    ],
)
def test_only_a_change_that_passes_and_touches_nothing_is_passed_over(fake, tmp_path, facts, comments):
    results(tmp_path, **facts)

    comment.post(tmp_path, environment(fake, tmp_path, "pull_request", {"pull_request": pull_of(HEAD)}))

    assert len(fake.comments) == comments
