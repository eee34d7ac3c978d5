"""What the client asks, endpoint by endpoint, and the values that it makes of GitHub's answers."""

import pytest

from kgate.errors import DeliveryError
from kgate.github.answers import Artifact, Author, BranchRule, Pull, Review
from kgate.github.connection import RefusedError
from tests.github.conftest import BOT, pull_of
from tests.github.test_client import answering

pytestmark = pytest.mark.real


def test_a_pull_request_is_its_commits_and_both_repositories(fake, client):
    fake.faults = [answering(200, content=pull_of("c" * 40, theirs=5))]

    seen = client.pull(7)

    author = Author(login="octo", kind="User")
    assert seen == Pull(number=7, head="c" * 40, base="b" * 40, head_repository=5, base_repository=1, author=author)


def test_the_repository_of_a_deleted_fork_is_none(fake, client):
    fake.faults = [answering(200, content={**pull_of("c" * 40), "head": {"sha": "c" * 40, "repo": None}})]

    assert client.pull(7).head_repository == 0


def test_a_branch_of_any_name_is_asked_for_as_one_word(fake, client):
    list(client.open_pulls("octo", "feature/a&b=c#d"))

    assert fake.requests == [
        ("GET", "/repos/acme/ops/pulls?state=open&head=octo%3Afeature%2Fa%26b%3Dc%23d&per_page=100")
    ]


def test_reviews_are_told_with_the_commit_they_were_made_at(fake, client):
    entry = {"id": 3, "user": BOT, "state": "APPROVED", "commit_id": None, "submitted_at": "2026-11-01T10:00:00Z"}
    fake.faults = [answering(200, content=[entry])]

    (seen,) = client.reviews(7)

    author = Author(login=BOT["login"], kind="Bot")
    assert seen == Review(number=3, author=author, state="APPROVED", commit="", submitted="2026-11-01T10:00:00Z")
    assert fake.requests == [("GET", "/repos/acme/ops/pulls/7/reviews?per_page=100")]


def test_a_permission_is_a_word(fake, client):
    fake.faults = [answering(200, content={"permission": "write", "role_name": "maintain"})]

    assert client.permission("octo") == "write"
    assert fake.requests == [("GET", "/repos/acme/ops/collaborators/octo/permission")]


def test_artifacts_come_wrapped_in_an_object(fake, client):
    entry = {"id": 8, "name": "kgate-h200-a1", "size_in_bytes": 2048, "expired": False}
    fake.faults = [answering(200, content={"total_count": 1, "artifacts": [entry]})]

    (seen,) = client.artifacts(12)

    assert seen == Artifact(number=8, name="kgate-h200-a1", size_bytes=2048, expired=False)


def test_the_rules_of_a_branch_are_told_with_their_parameters(fake, client):
    fake.faults = [answering(200, content=[{"type": "pull_request", "parameters": {"a": 1}}, {"type": "deletion"}])]

    assert list(client.rules("release/1")) == [
        BranchRule(kind="pull_request", parameters={"a": 1}),
        BranchRule(kind="deletion"),
    ]
    assert fake.requests == [("GET", "/repos/acme/ops/rules/branches/release%2F1?per_page=100")]


def test_a_status_whose_answer_was_lost_is_set_once_more(fake, client):
    fake.faults = [answering(502), answering(201, content={})]

    client.set_status("c" * 40, "success", "kgate", "x" * 200)

    assert fake.requests == [("POST", f"/repos/acme/ops/statuses/{'c' * 40}")] * 2


def test_deleting_what_is_gone_is_done(fake, client):
    client.delete(1234)

    assert fake.requests == [("DELETE", "/repos/acme/ops/issues/comments/1234")]


def test_a_comment_that_may_not_be_deleted_is_said(fake, client):
    fake.faults = [answering(403)]

    with pytest.raises(RefusedError, match="permissions"):
        client.delete(1234)


@pytest.mark.parametrize(
    "ask",
    [
        lambda client: client.pull(7),
        lambda client: list(client.open_pulls("o", "b")),
        lambda client: list(client.reviews(7)),
        lambda client: client.permission("o"),
        lambda client: list(client.artifacts(1)),
        lambda client: list(client.rules("main")),
        lambda client: list(client.comments(7)),
    ],
    ids=["pull", "pulls", "reviews", "permission", "artifacts", "rules", "comments"],
)
@pytest.mark.parametrize("content", [[{}], {}, [None], "text", {"artifacts": [1]}], ids=repr)
def test_an_answer_of_another_form_is_one_sentence(fake, client, ask, content):
    fake.faults = [answering(200, content=content)]

    with pytest.raises(DeliveryError, match=r"came as no list|GitHub's answer is no"):
        ask(client)
