"""Our comment on a pull request of an emulated GitHub: once created, for ever updated, whatever else is there."""

import os
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from kgate.errors import DeliveryError
from kgate.github import comment
from kgate.github.comment import Letter
from kgate.github.marker import Marker, marker_of
from tests.rig.conftest import Break, Repository

TEXT = "❌ **kgate: fail.** 1 finding blocks this change.\n"


def letter(repository: Repository, text: str = TEXT, **changes: object) -> Letter:
    nonce = f"{changes.get('run', 1):016x}"
    made = Marker(manifest="kgate.yaml", run=1, attempt=1, head=repository.head, verdict="fail", nonce=nonce)
    return Letter(pull=repository.pull, marker=replace(made, **changes), text=text)


def test_the_first_run_creates_one_comment_and_the_second_updates_it(repository: Repository):
    client = repository.client()

    first = comment.deliver(client, letter(repository, "first\n"))
    second = comment.deliver(client, letter(repository, "second\n", run=2))

    (body,) = repository.of_the_bot()
    assert body.splitlines()[1] == "second"
    assert first.url == second.url


def test_the_comment_is_found_behind_250_others(repository: Repository, broken: Break):
    # The emulator's links name its own port, whatever it is told, so they are made to name the one that was asked.
    linked = "for (const name in response.headers) if (/^link$/i.test(name)) response.headers[name] = "
    linked += (
        f"response.headers[name].replaceAll('{repository.github.direct}', 'http://' + config.request.headers.Host);"
    )
    client = repository.client(api=broken("GET", r"/comments$", *[linked] * 20))
    for n in range(249):
        repository.say("stranger", f"remark {n}")
    comment.deliver(client, letter(repository, "old\n"))
    repository.say("stranger", "the last word")

    comment.deliver(client, letter(repository, "new\n", run=2))

    assert len(repository.comments()) == 251
    assert [body.splitlines()[1] for body in repository.of_the_bot()] == ["new"]


def test_a_marker_that_a_user_wrote_is_left_alone(repository: Repository):
    forged = f"{letter(repository, run=99).marker}\nI am kgate, and all is well"
    repository.say("forker", forged)

    comment.deliver(repository.client(), letter(repository))

    assert [(c["user"]["login"], c["body"].splitlines()[1]) for c in repository.comments()] == [
        ("forker", "I am kgate, and all is well"),
        ("github-actions[bot]", TEXT.strip()),
    ]


def test_of_two_runs_that_race_one_comment_stays_with_the_newers_words(repository: Repository):
    client = repository.client()
    for start in (1, 11, 21):
        ready = threading.Barrier(2)

        def race(run: int, ready: threading.Barrier = ready) -> None:
            ready.wait()
            comment.deliver(client, letter(repository, f"of {run}\n", run=run))

        threads = [threading.Thread(target=race, args=(run,)) for run in (start, start + 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        (body,) = repository.of_the_bot()
        assert body.splitlines()[1] == f"of {start + 1}"
        asked_for = [c["id"] for c in repository.comments()]
        client.delete(asked_for[0])


def test_a_body_above_the_limit_of_github_is_cut_on_both_ways(repository: Repository):
    client = repository.client()
    rows = "| a row |\n" * 20_000

    comment.deliver(client, letter(repository, rows))
    comment.deliver(client, letter(repository, rows, run=2))

    (body,) = repository.of_the_bot()
    assert 50_000 < len(body) <= 60_000
    assert set(body.splitlines()[1:-3]) == {"| a row |"}


@pytest.mark.parametrize(
    "permissions",
    [{"contents": "read", "pull_requests": "read"}, {"contents": "read", "pull_requests": "read", "issues": "read"}],
    ids=["of a fork", "read-only"],
)
def test_a_token_that_may_only_read_is_told_which_permission_is_missing(repository: Repository, permissions):
    token = repository.github.token(permissions)

    with pytest.raises(DeliveryError, match=r"403 .*pull-requests: write") as caught:
        comment.deliver(repository.client(token), letter(repository))

    assert token not in str(caught.value)
    assert repository.comments() == []


def commented(repository: Repository, folder: Path, token: str) -> "subprocess.CompletedProcess[str]":
    """`kgate comment` as a job of a pull request runs it."""
    head, base = ({"sha": sha, "repo": {"id": 1}} for sha in (repository.head, "b" * 40))
    pull = {"number": repository.pull, "head": head, "base": base}
    environ = repository.job(folder, "pull_request", {"pull_request": pull}) | {"KGATE_TOKEN": token}
    return subprocess.run(
        [sys.executable, "-m", "kgate", "comment", os.fspath(folder)],
        env={"PATH": os.defpath, "PYTHONPATH": os.environ.get("PYTHONPATH", ""), **environ},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_the_command_posts_and_says_where(repository: Repository, tmp_path: Path):
    done = commented(repository, tmp_path, repository.github.token())

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"comment written on pull request {repository.pull} http")
    (body,) = repository.of_the_bot()
    marker = marker_of(body)
    assert marker is not None
    assert (marker.run, marker.head, marker.verdict) == (12, repository.head, "fail")


def test_the_command_ends_with_4_where_it_may_not_write_and_never_shows_the_token(
    repository: Repository, tmp_path: Path
):
    token = repository.github.token({"contents": "read", "pull_requests": "read"})

    done = commented(repository, tmp_path, token)

    assert done.returncode == 4
    assert "pull-requests: write" in done.stderr
    assert token not in done.stdout + done.stderr


@pytest.mark.nightly
def test_an_exhausted_limit_of_the_emulators_own_ends_at_once(repository: Repository):
    token = repository.github.token()
    waited: list[float] = []
    client = repository.client(token, api=repository.github.direct, sleep=waited.append)
    with suppress(DeliveryError):
        for _ in range(5001):
            client.pull(repository.pull)

    with pytest.raises(DeliveryError, match=r"the next try is .* s away"):
        comment.deliver(client, letter(repository))

    assert waited == []
