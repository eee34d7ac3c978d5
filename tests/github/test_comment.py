"""Our comment on a pull request, against a server with state: what is read, what is written, and how often."""

from dataclasses import replace

import pytest

from kgate.errors import DeliveryError
from kgate.github import comment
from kgate.github.comment import Letter
from kgate.github.marker import Marker
from tests.github.conftest import BOT, HEAD, TOKEN

pytestmark = pytest.mark.real

MALLORY = {"login": "mallory", "type": "User"}
MARKER = Marker(manifest="kgate.yaml", run=70, attempt=1, head=HEAD, verdict="fail", nonce="0123456789abcdef")
EARLIER = replace(MARKER, nonce="0e")  # of an earlier posting


def delivered(client, text, marker, *, quiet=False):
    return comment.deliver(client, Letter(pull=7, marker=marker, text=text, quiet=quiet))


def gone(verb, carry_out):
    """502 after the request was carried out: the answer is lost, the comment is there."""
    carry_out()
    return 502, {}, {"message": "Bad Gateway"}


def dropped(verb, carry_out):
    """502 before anything was done."""
    return 502, {}, {"message": "Bad Gateway"}


def reset_after(verb, carry_out):
    carry_out()
    return 0, {}, None


def passes(verb, carry_out):
    return None


def test_the_first_run_creates_one_comment_that_begins_with_the_marker(fake, client):
    delivery = delivered(client, "**kgate: fail**", MARKER)

    assert [c["body"] for c in fake.comments] == [f"{MARKER}\n**kgate: fail**"]
    assert delivery.url == fake.comments[0]["html_url"]
    assert [path for verb, path in fake.requests if verb == "POST"] == ["/repos/acme/ops/issues/7/comments"]


def test_a_later_run_rewrites_the_comment_of_an_earlier_one(fake, client, writes):
    delivered(client, "old", MARKER)

    delivered(client, "new", replace(MARKER, run=71, nonce="ff"))

    assert [c["body"].splitlines()[1] for c in fake.comments] == ["new"]
    assert writes() == ["POST", "PATCH"]


def test_our_comment_is_found_behind_250_others(fake, client, writes):
    for number in range(250):
        fake.say(f"remark {number}", MALLORY)
    fake.say(f"{EARLIER}\nold", BOT)

    delivered(client, "new", replace(MARKER, attempt=2))

    assert len(fake.comments) == 251
    assert fake.comments[250]["body"].endswith("\nnew")
    assert writes() == ["PATCH"]


@pytest.mark.parametrize("author", [MALLORY, {**BOT, "type": "User"}, {"login": "other[bot]", "type": "Bot"}, None])
def test_a_marker_under_another_name_is_left_alone(fake, client, writes, author):
    fake.say(f"{EARLIER}\nI am kgate", author)

    delivered(client, "real", replace(MARKER, run=71))

    assert [c["body"].splitlines()[1] for c in fake.comments] == ["I am kgate", "real"]
    assert writes() == ["POST"]


def test_a_marker_further_down_in_our_own_comment_does_not_count(fake, client, writes):
    fake.say(f"quoting:\n{MARKER}\nold", BOT)

    delivered(client, "real", MARKER)

    assert writes() == ["POST"]


def test_an_older_run_that_ends_late_leaves_the_newer_comment(fake, client, writes):
    fake.say(f"{replace(EARLIER, run=80)}\nnewer", BOT)

    delivery = delivered(client, "late", replace(MARKER, run=79, attempt=9))

    assert writes() == []
    assert "run 80 is newer" in delivery.sentence


def test_two_manifests_have_a_comment_each(fake, client):
    delivered(client, "one", MARKER)

    delivered(client, "two", replace(MARKER, manifest="gpu ops/kgate.yaml", run=71))

    assert len(fake.comments) == 2


def of_token(client, token):
    return replace(client, connection=replace(client.connection, token=token))


def test_with_a_personal_token_the_author_is_the_owner_of_the_token(fake, client, writes):
    fake.me = {"login": "robin", "type": "User"}
    fake.say(f"{EARLIER}\nof the bot", BOT)
    fake.say(f"{EARLIER}\nold", fake.me)

    delivered(of_token(client, "github_pat_a"), "new", replace(MARKER, run=71))

    assert [c["body"].splitlines()[1] for c in fake.comments] == ["of the bot", "new"]


def test_the_token_of_another_app_finds_its_earlier_comment_and_leaves_one(fake, client):
    fake.me = {"login": "acme-app[bot]", "type": "Bot"}
    delivered(client, "first", MARKER)

    delivered(client, "second", replace(MARKER, run=71, nonce="ff"))

    assert [(c["id"], c["body"].splitlines()[1]) for c in fake.comments] == [(1000, "second")]


def test_a_list_that_lags_behind_makes_no_second_comment(fake, client, writes):
    lagging = lambda verb, carry_out: (200, {}, [])  # noqa: E731
    fake.faults = [passes, passes, passes, passes, lagging]

    delivery = delivered(client, "text", MARKER)

    assert writes() == ["POST"]
    assert delivery.url == fake.comments[0]["html_url"]


@pytest.mark.parametrize("fault", [gone, reset_after])
def test_a_post_whose_answer_was_lost_leaves_exactly_one_comment(fake, client, writes, fault):
    fake.faults = [passes, passes, fault]

    delivery = delivered(client, "text", MARKER)

    assert len(fake.comments) == 1
    assert delivery.url == fake.comments[0]["html_url"]
    assert writes() == ["POST"]


def test_a_post_that_was_lost_before_it_arrived_is_made_once_more_after_looking(fake, client, writes):
    fake.faults = [passes, passes, dropped]

    delivered(client, "text", MARKER)

    looked = ["GET", "GET"]  # at the pull request and at its comments
    assert [verb for verb, _ in fake.requests] == [*looked, "POST", *looked, "POST", *looked]
    assert len(fake.comments) == 1


def test_a_post_that_is_always_lost_is_given_up(fake, client, writes):
    fake.faults = [passes, passes, dropped] * 9

    with pytest.raises(DeliveryError, match="given up after 5 rounds"):
        delivered(client, "text", MARKER)

    assert writes() == ["POST"] * 5
    assert fake.comments == []


def test_a_comment_deleted_before_its_rewriting_is_created_again(fake, client, writes):
    fake.say(f"{EARLIER}\nold", BOT)

    def delete(verb, carry_out):
        fake.comments.clear()

    fake.faults = [passes, passes, delete]

    delivered(client, "new", replace(MARKER, run=71))

    assert writes() == ["PATCH", "POST"]
    assert len(fake.comments) == 1


def test_a_rate_limited_post_created_nothing_and_is_made_again_when_github_says(fake, client, waited, writes):
    fake.faults = [
        passes,
        passes,
        passes,
        lambda verb, _: (403, {"Retry-After": "7"}, {"message": "secondary rate limit"}),
    ]

    delivered(client, "text", MARKER)

    assert waited == [7.0]
    assert len(fake.comments) == 1


def test_a_fork_is_told_which_permission_is_missing(fake, client):
    refused = (403, {}, {"message": "Resource not accessible by integration"})
    fake.faults = [passes, passes, lambda verb, _: refused]

    with pytest.raises(DeliveryError, match="pull-requests: write") as caught:
        delivered(client, "text", MARKER)

    assert TOKEN not in str(caught.value)
    assert caught.value.exit_code == 4


def test_a_long_report_is_cut_to_what_github_takes(fake, client):
    delivered(client, "| row |\n" * 20_000, MARKER)

    body = fake.comments[0]["body"]
    assert len(body) <= 60_000
    assert set(body.splitlines()[1:-3]) == {"| row |"}
