"""A GitHub that breaks, answers late or means harm: each ends as designed, with one comment or none."""

import time

import pytest

from kgate.errors import DeliveryError
from kgate.github import comment
from tests.rig.conftest import Break, Repository
from tests.rig.test_delivery import letter

COMMENTS = r"^/repos/[^/]+/[^/]+/issues/\d+/comments$"
PULL = r"^/repos/[^/]+/[^/]+/pulls/\d+$"
RESET = {"fault": "CONNECTION_RESET_BY_PEER"}


def refusal(status: int, message: str = "no", **headers: str) -> dict[str, object]:
    told = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = {
        "statusCode": status,
        "headers": {"Content-Type": "application/json", **told},
        "body": {"message": message},
    }
    return {"is": answer}


@pytest.mark.parametrize(
    "lost",
    [
        "response.statusCode = 502; response.body = '';",
        'response.statusCode = 500; response.body = \'{"message": "Server Error"}\';',
        "response.body = JSON.stringify(response.body).slice(0, 40);",
    ],
    ids=["502", "500", "truncated"],
)
def test_a_comment_that_was_accepted_and_not_answered_is_found_and_not_made_again(
    repository: Repository, broken: Break, lost: str
):
    api = broken("POST", COMMENTS, lost)

    delivery = comment.deliver(repository.client(api=api), letter(repository))

    (body,) = repository.of_the_bot()
    assert body.startswith(str(letter(repository).marker))
    assert delivery.url


@pytest.mark.parametrize("lost", [refusal(502), RESET], ids=["502", "reset"])
def test_a_comment_that_never_arrived_is_made_once_more(repository: Repository, broken: Break, lost: object):
    api = broken("POST", COMMENTS, lost)

    comment.deliver(repository.client(api=api), letter(repository))

    assert len(repository.of_the_bot()) == 1


@pytest.mark.parametrize(
    ("answer", "seconds"),
    [
        (refusal(403, "You have exceeded a secondary rate limit.", Retry_After="7"), 7.0),
        (refusal(403, "You have exceeded a secondary rate limit."), 60.0),
        (refusal(429, "Too many requests", Retry_After="3"), 3.0),
    ],
    ids=["403 with Retry-After", "403 without", "429"],
)
def test_a_limit_that_passes_is_waited_out(repository: Repository, broken: Break, answer: object, seconds: float):
    waited: list[float] = []
    api = broken("POST", COMMENTS, answer)

    comment.deliver(repository.client(api=api, sleep=waited.append), letter(repository))

    assert waited == [seconds]
    assert len(repository.of_the_bot()) == 1


def test_a_limit_that_is_exhausted_for_an_hour_ends_at_once(repository: Repository, broken: Break):
    waited: list[float] = []
    reset = str(int(time.time()) + 3600)
    spent = refusal(403, "API rate limit exceeded", X_RateLimit_Remaining="0", X_RateLimit_Reset=reset)
    api = broken("GET", COMMENTS, spent)

    with pytest.raises(DeliveryError, match=r"rate limit exceeded\); given up, since the next try is 3\d{3} s away"):
        comment.deliver(repository.client(api=api, sleep=waited.append), letter(repository))

    assert waited == []
    assert repository.comments() == []


@pytest.mark.parametrize(
    "fault",
    [RESET, refusal(502), "response.body = JSON.stringify(response.body).slice(0, 9);"],
    ids=["reset", "502", "truncated"],
)
def test_a_look_that_fails_is_taken_again(repository: Repository, broken: Break, fault: object):
    comment.deliver(repository.client(), letter(repository, "old\n"))
    api = broken("GET", COMMENTS, fault, fault)

    comment.deliver(repository.client(api=api), letter(repository, "new\n", run=2))

    assert [body.splitlines()[1] for body in repository.of_the_bot()] == ["new"]


def test_an_update_that_was_carried_out_and_not_answered_is_made_again(repository: Repository, broken: Break):
    comment.deliver(repository.client(), letter(repository, "old\n"))
    api = broken("PATCH", r"/issues/comments/\d+$", "response.statusCode = 502; response.body = '';")

    comment.deliver(repository.client(api=api), letter(repository, "new\n", run=2))

    assert [body.splitlines()[1] for body in repository.of_the_bot()] == ["new"]


def test_a_next_page_at_another_origin_is_not_fetched(repository: Repository, broken: Break):
    api = broken("GET", COMMENTS, "response.headers['Link'] = '<https://evil.example/next>; rel=\"next\"';")

    with pytest.raises(DeliveryError, match=r"another origin, 'evil\.example'"):
        comment.deliver(repository.client(api=api), letter(repository))

    assert repository.comments() == []


def test_a_head_that_moves_while_the_comment_is_written_makes_it_stale(repository: Repository, broken: Break):
    moved = "response.body.head.sha = 'd'.repeat(40);"
    api = broken("GET", PULL, moved, moved)

    comment.deliver(repository.client(api=api), letter(repository))

    (body,) = repository.of_the_bot()
    assert body.splitlines()[1].startswith(
        f"⚠️ **Stale:** this is of commit {repository.head[:9]}; the pull request is at ddd"
    )


def test_a_server_that_does_not_answer_is_left(repository: Repository, broken: Break, impatient):
    silent = {"is": {"statusCode": 200}, "behaviors": [{"wait": 3000}]}
    api = broken("GET", PULL, *[silent] * 3)

    with pytest.raises(DeliveryError, match=r"lost \(ReadTimeoutError\); given up after 2 tries"):
        comment.deliver(repository.client(api=api, **impatient), letter(repository))

    assert repository.comments() == []
