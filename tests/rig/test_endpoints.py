"""Every endpoint that the client asks, against an emulated GitHub or, where that has none, GitHub's own description."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kgate.errors import DeliveryError
from kgate.github import comment
from kgate.github.answers import Author
from kgate.github.client import Client
from kgate.github.connection import Connection
from tests.rig.conftest import VIOLATION, GitHub, Repository
from tests.rig.programs import SUBSET, Program, asked, free_port, started


@pytest.fixture(scope="module")
def described(folder: Path) -> Iterator[Program]:
    """Answers of the right form, made up from the description; it has no state."""
    port = free_port()
    command = ["node_modules/.bin/prism", "mock", "-h", "127.0.0.1", "-p", str(port), str(SUBSET)]
    with started(command, port, folder / "mock.log") as program:
        yield program


def client_of(described: Program, token: str = "ghs_any") -> Client:
    return Client(connection=Connection(api=described.url, token=token), repository="admin/r1")


@pytest.mark.parametrize(
    "ask",
    [
        lambda client: list(client.artifacts(12)),
        lambda client: list(client.rules("main")),
        lambda client: client.set_status("c" * 40, "success", "kgate", "nothing blocks"),
        lambda client: client.permission("octo"),
        lambda client: list(client.reviews(1)),
        lambda client: client.pull(1),
        lambda client: list(client.open_pulls("octo", "feature")),
    ],
    ids=["artifacts", "rules", "status", "permission", "reviews", "pull", "pulls"],
)
def test_an_endpoint_is_asked_and_read_as_github_describes_it(described: Program, ask):
    before = len(described.said())

    ask(client_of(described))

    assert not VIOLATION.findall(described.said()[before:])


def test_reviews_are_read_with_their_authors_and_the_commit(repository: Repository):
    said = {"event": "APPROVE", "body": "fine", "commit_id": repository.head}
    asked(f"{repository.place}/pulls/{repository.pull}/reviews", "token-of-admin", "POST", said)

    (seen,) = repository.client().reviews(repository.pull)

    assert (seen.author, seen.state, seen.commit) == (Author(login="admin", kind="User"), "APPROVED", repository.head)


def test_the_owner_of_a_repository_is_its_admin(repository: Repository):
    assert repository.client().permission("admin") == "admin"


def forked(repository: Repository) -> dict[str, object]:
    """A second pull request, of forker's copy."""
    asked(f"{repository.place}/forks", "token-of-forker", "POST", {})
    opened = {"title": "Of a fork", "head": "forker:feature", "base": "main"}
    return dict(asked(f"{repository.place}/pulls", "token-of-admin", "POST", opened))


def followed(repository: Repository, pull: dict[str, object], folder: Path, number: int) -> dict[str, str]:
    """What GitHub tells a job that follows a run of a fork's pull request; `number`: of the fork's repository."""
    run = {
        "id": 99,
        "run_attempt": 1,
        "event": "pull_request",
        "head_sha": pull["head"]["sha"],
        "head_branch": "feature",
        "head_repository": {"id": number, "owner": {"login": "forker"}},
        "repository": {"id": pull["base"]["repo"]["id"]},
    }
    job = repository.job(folder, "workflow_run", {"workflow_run": run})
    return {**job, "KGATE_TOKEN": repository.github.token()}


def test_the_comment_on_a_fork_goes_to_its_own_pull_request_and_no_other(repository: Repository, tmp_path: Path):
    pull = forked(repository)

    comment.post(tmp_path, followed(repository, pull, tmp_path, pull["head"]["repo"]["id"]))

    assert repository.of_the_bot() == []  # the first pull request, of the repository itself
    (entry,) = asked(f"{repository.place}/issues/{pull['number']}/comments", "token-of-admin")
    assert entry["body"].startswith("<!-- kgate manifest=kgate.yaml run=99 attempt=1 ")


def test_results_of_a_repository_that_is_not_the_pull_requests_are_posted_nowhere(
    repository: Repository, tmp_path: Path
):
    pull = forked(repository)

    delivery = comment.post(tmp_path, followed(repository, pull, tmp_path, 123456789))

    assert "nothing posted" in delivery.sentence
    assert asked(f"{repository.place}/issues/{pull['number']}/comments", "token-of-admin") == []


def test_prism_tells_a_request_that_github_does_not_allow(github: GitHub):
    before = len(github.violations())
    connection = Connection(api=github.url, token=github.token())

    with pytest.raises(DeliveryError):
        connection.send("POST", "/repos/admin/nowhere/issues/1/comments", {"text": "not the name of the field"})

    assert len(github.violations()) > before
