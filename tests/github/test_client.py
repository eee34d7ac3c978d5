"""The client against a server that misbehaves: every fault ends as designed, within its bounds."""

import time
from dataclasses import replace

import pytest

from kgate.errors import DeliveryError
from kgate.github import connection
from kgate.github.answers import Author
from kgate.github.client import Client
from kgate.github.connection import Connection
from kgate.github.patience import Patience
from tests.github.conftest import BOT, TOKEN

pytestmark = pytest.mark.real


def answering(status, headers=None, content=None):
    return lambda verb, carry_out: (status, headers or {}, {"message": "no"} if content is None else content)


def test_every_request_names_the_program_and_the_version_of_the_api(fake, client):
    list(client.comments(7))

    assert fake.headers[0]["user-agent"].startswith("kgate/")
    assert fake.headers[0]["x-github-api-version"] == "2022-11-28"
    assert fake.requests == [("GET", "/repos/acme/ops/issues/7/comments?per_page=100")]


@pytest.mark.parametrize("fault", [answering(500), answering(502), answering(0)], ids=["500", "502", "reset"])
def test_reading_is_repeated_with_doubling_waits(fake, client, waited, fault):
    fake.faults = [fault, fault]
    fake.say("hello", BOT)

    comments = list(client.comments(7))

    assert [c.body for c in comments] == ["hello"]
    assert waited == [1.0, 2.0]


@pytest.mark.parametrize(
    ("status", "headers", "seconds"),
    [
        (429, {"Retry-After": "3"}, 3.0),
        (403, {"Retry-After": "5"}, 5.0),
        (503, {"Retry-After": "2"}, 2.0),
        (429, {}, 60.0),
    ],
)
def test_the_wait_that_github_asks_for_is_honoured(fake, client, waited, status, headers, seconds):
    fake.faults = [answering(status, headers)]

    list(client.comments(7))

    assert waited == [seconds]


def test_waits_of_the_clients_own_are_spread_by_chance(fake, waited):
    fake.faults = [answering(500), answering(500)]
    spread = Connection(api=fake.url, token=TOKEN, sleep=waited.append, chance=lambda: 0.5)

    list(Client(connection=spread, repository="acme/ops").comments(7))

    assert waited == [1.25, 2.5]


def test_the_primary_limit_is_waited_out_until_its_reset(fake, client, waited):
    reset = int(time.time()) + 30
    fake.faults = [answering(403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(reset)})]

    list(client.comments(7))

    assert 0 <= waited[0] <= 30


def test_a_wait_beyond_the_bound_is_not_begun(fake, client, waited):
    fake.faults = [answering(429, {"Retry-After": "3600"})]

    with pytest.raises(DeliveryError, match="the next try is 3600 s away"):
        list(client.comments(7))

    assert waited == []


def test_a_rate_limit_that_only_its_message_tells_is_waited_out(fake, client, waited):
    fake.faults = [answering(403, content={"message": "You have exceeded a secondary rate limit."})]

    list(client.comments(7))

    assert waited == [60.0]


def test_all_requests_of_a_client_wait_from_one_purse(fake, client, waited):
    fake.faults = [answering(429, {"Retry-After": "100"})]
    list(client.comments(7))
    fake.faults = [answering(429, {"Retry-After": "100"})]

    with pytest.raises(DeliveryError, match="100 s away"):
        list(client.comments(7))

    assert waited == [100.0]


def test_a_server_that_never_recovers_is_given_up_after_five_tries(fake, client, waited):
    fake.faults = [answering(500)] * 9

    with pytest.raises(DeliveryError, match="given up after 5 tries"):
        list(client.comments(7))

    assert len(fake.requests) == 5


@pytest.mark.parametrize(("status", "word"), [(401, "fresh"), (403, "permissions"), (404, "repository"), (410, "off")])
def test_a_plain_refusal_is_final_and_says_what_to_do(fake, client, waited, status, word):
    fake.faults = [answering(status)]

    with pytest.raises(DeliveryError, match=word):
        list(client.comments(7))

    assert waited == []


def test_a_moved_repository_is_not_followed(fake, client):
    fake.faults = [answering(301, {"Location": f"{fake.url}/repositories/5/issues/7/comments"})]

    with pytest.raises(DeliveryError, match="the repository has moved"):
        list(client.comments(7))

    assert len(fake.requests) == 1


@pytest.mark.parametrize("other", ["https://evil.example/next", "http://127.0.0.1:1/next", "//evil.example/x"])
def test_the_next_page_is_not_fetched_from_another_origin(fake, client, other):
    for _ in range(101):
        fake.say("x", BOT)
    fake.next_link = other

    with pytest.raises(DeliveryError, match="another origin"):
        list(client.comments(7))

    assert len(fake.requests) == 1


def test_pages_that_go_round_in_a_circle_end(fake, client):
    for _ in range(101):
        fake.say("x", BOT)
    fake.next_link = f"{fake.url}/repos/acme/ops/issues/7/comments?per_page=100"

    with pytest.raises(DeliveryError, match="more than 100 pages"):
        list(client.comments(7))

    assert len(fake.requests) == 100


def test_an_answer_that_is_not_json_is_named(fake, client):
    fake.faults = [answering(200, content=b"<html>proxy login</html>")] * 5

    with pytest.raises(DeliveryError, match="not JSON"):
        list(client.comments(7))


def test_an_answer_cut_short_is_asked_for_again(fake, client, waited):
    fake.faults = [answering(200, {"Content-Length": "500"}, b"[")]

    assert list(client.comments(7)) == []
    assert waited == [1.0]


def test_json_cut_short_is_an_answer_lost(fake, client, waited):
    fake.faults = [answering(200, content=b'[{"id": 1, "bo')]

    assert list(client.comments(7)) == []
    assert waited == [1.0]


def test_an_endless_answer_is_read_no_further_than_its_bound(fake, client, monkeypatch):
    monkeypatch.setattr(connection, "BODY_LIMIT_BYTES", 1 << 16)
    fake.faults = [answering(200, content=b" " * (1 << 18))]

    with pytest.raises(DeliveryError, match="read no further"):
        list(client.comments(7))


def test_a_silent_server_is_left_after_the_read_timeout(fake, waited):
    patience = Patience(read_s=0.05, tries=2)
    impatient = Client(
        connection=Connection(api=fake.url, token=TOKEN, patience=patience, sleep=waited.append), repository="acme/ops"
    )

    def hang(verb, carry_out):
        time.sleep(0.2)

    fake.faults = [hang, hang]

    with pytest.raises(DeliveryError, match="ReadTimeoutError"):
        list(impatient.comments(7))


def test_a_server_that_is_not_there_is_one_sentence(fake, waited):
    nowhere = Client(
        connection=Connection(api="http://127.0.0.1:9", token=TOKEN, sleep=waited.append), repository="acme/ops"
    )

    with pytest.raises(DeliveryError, match="could not be reached") as caught:
        list(nowhere.comments(7))

    assert TOKEN not in str(caught.value)
    assert TOKEN not in repr(nowhere)


def test_a_deleted_author_is_nobody(fake, client):
    fake.say("hello", None)

    assert next(client.comments(7)).author == Author(login="", kind="")


def test_an_installation_token_has_no_user_of_its_own_and_does_not_ask(fake, client):
    assert client.author() is None
    assert fake.requests == []


def test_a_token_that_may_not_ask_who_it_is_has_no_user(fake, client):
    unmarked = replace(client, connection=replace(client.connection, token="v1.0123"))

    assert unmarked.author() is None
    assert fake.requests == [("GET", "/user")]
