"""Our comment on a pull request, against a server with state: what is read, what is written, and how often."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kgate.errors import DeliveryError
from kgate.github import comment
from kgate.github.comment import Marker

pytestmark = pytest.mark.real

TOKEN = "ghs_a-token-that-no-message-may-show"
BOT = {"login": "github-actions[bot]", "type": "Bot"}
MALLORY = {"login": "mallory", "type": "User"}
MARKER = Marker(manifest="kgate.yaml", run=70, attempt=1, head="a" * 40, verdict="fail", nonce="0123456789abcdef")


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
    delivery = comment.deliver(client, 7, "**kgate: fail**", MARKER)

    assert [c["body"] for c in fake.comments] == [f"{MARKER}\n**kgate: fail**"]
    assert delivery.url == fake.comments[0]["html_url"]
    assert fake.requests[-1] == ("POST", "/repos/acme/ops/issues/7/comments")


def test_a_later_run_rewrites_the_comment_of_an_earlier_one(fake, client, writes):
    comment.deliver(client, 7, "old", MARKER)

    comment.deliver(client, 7, "new", replace(MARKER, run=71, nonce="ff"))

    assert [c["body"].splitlines()[1] for c in fake.comments] == ["new"]
    assert writes() == ["POST", "PATCH"]


def test_our_comment_is_found_behind_250_others(fake, client, writes):
    for number in range(250):
        fake.say(f"remark {number}", MALLORY)
    fake.say(f"{MARKER}\nold", BOT)

    comment.deliver(client, 7, "new", replace(MARKER, attempt=2))

    assert len(fake.comments) == 251
    assert fake.comments[250]["body"].endswith("\nnew")
    assert writes() == ["PATCH"]


@pytest.mark.parametrize("author", [MALLORY, {**BOT, "type": "User"}, {"login": "other[bot]", "type": "Bot"}, None])
def test_a_marker_under_another_name_is_left_alone(fake, client, writes, author):
    fake.say(f"{MARKER}\nI am kgate", author)

    comment.deliver(client, 7, "real", replace(MARKER, run=71))

    assert [c["body"].splitlines()[1] for c in fake.comments] == ["I am kgate", "real"]
    assert writes() == ["POST"]


def test_a_marker_further_down_in_our_own_comment_does_not_count(fake, client, writes):
    fake.say(f"quoting:\n{MARKER}\nold", BOT)

    comment.deliver(client, 7, "real", MARKER)

    assert writes() == ["POST"]


def test_an_older_run_that_ends_late_leaves_the_newer_comment(fake, client, writes):
    fake.say(f"{replace(MARKER, run=80)}\nnewer", BOT)

    delivery = comment.deliver(client, 7, "late", replace(MARKER, run=79, attempt=9))

    assert writes() == []
    assert "run 80 is newer" in delivery.sentence


def test_two_manifests_have_a_comment_each(fake, client):
    comment.deliver(client, 7, "one", MARKER)

    comment.deliver(client, 7, "two", replace(MARKER, manifest="gpu ops/kgate.yaml", run=71))

    assert len(fake.comments) == 2


def test_with_a_personal_token_the_author_is_the_owner_of_the_token(fake, client, writes):
    fake.me = {"login": "robin", "type": "User"}
    fake.say(f"{MARKER}\nof the bot", BOT)
    fake.say(f"{MARKER}\nold", fake.me)

    comment.deliver(client, 7, "new", replace(MARKER, run=71))

    assert [c["body"].splitlines()[1] for c in fake.comments] == ["of the bot", "new"]


@pytest.mark.parametrize("fault", [gone, reset_after])
def test_a_post_whose_answer_was_lost_leaves_exactly_one_comment(fake, client, writes, fault):
    fake.faults = [passes, passes, fault]

    delivery = comment.deliver(client, 7, "text", MARKER)

    assert len(fake.comments) == 1
    assert delivery.url == fake.comments[0]["html_url"]
    assert writes() == ["POST"]


def test_a_post_that_was_lost_before_it_arrived_is_made_once_more_after_looking(fake, client, writes):
    fake.faults = [passes, passes, dropped]

    comment.deliver(client, 7, "text", MARKER)

    assert [verb for verb, _ in fake.requests] == ["GET", "GET", "POST", "GET", "POST"]
    assert len(fake.comments) == 1


def test_a_post_that_is_lost_twice_is_given_up(fake, client, writes):
    fake.faults = [passes, passes, dropped, passes, dropped]

    with pytest.raises(DeliveryError, match="502"):
        comment.deliver(client, 7, "text", MARKER)

    assert writes() == ["POST", "POST"]
    assert fake.comments == []


def test_a_comment_deleted_before_its_rewriting_is_created_again(fake, client, writes):
    fake.say(f"{MARKER}\nold", BOT)

    def delete(verb, carry_out):
        fake.comments.clear()

    fake.faults = [passes, passes, delete]

    comment.deliver(client, 7, "new", replace(MARKER, run=71))

    assert writes() == ["PATCH", "POST"]
    assert len(fake.comments) == 1


def test_a_rate_limited_post_created_nothing_and_is_made_again_when_github_says(fake, client, waited, writes):
    fake.faults = [passes, passes, lambda verb, _: (403, {"Retry-After": "7"}, {"message": "secondary rate limit"})]

    comment.deliver(client, 7, "text", MARKER)

    assert waited == [7.0]
    assert len(fake.comments) == 1


def test_a_fork_is_told_which_permission_is_missing(fake, client):
    refused = (403, {}, {"message": "Resource not accessible by integration"})
    fake.faults = [passes, passes, lambda verb, _: refused]

    with pytest.raises(DeliveryError, match="pull-requests: write") as caught:
        comment.deliver(client, 7, "text", MARKER)

    assert TOKEN not in str(caught.value)
    assert caught.value.exit_code == 4


def test_a_long_report_is_cut_to_what_github_takes(fake, client):
    comment.deliver(client, 7, "| row |\n" * 20_000, MARKER)

    body = fake.comments[0]["body"]
    assert len(body) <= 60_000
    assert set(body.splitlines()[1:-3]) == {"| row |"}


def test_a_run_posts_the_comment_that_check_left(fake, tmp_path: Path):
    (tmp_path / "report.json").write_text(json.dumps({"verdict": "warn", "manifest": "kgate.yaml", "head": "b" * 40}))
    (tmp_path / "comment.md").write_text("**kgate: warn**\n")
    pull = {"number": 7, "head": {"sha": "b" * 40, "repo": {"id": 1}}, "base": {"sha": "c" * 40, "repo": {"id": 1}}}
    (tmp_path / "event.json").write_text(json.dumps({"pull_request": pull}))
    environ = {
        "GITHUB_API_URL": fake.url,
        "GITHUB_REPOSITORY": "acme/ops",
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
        "GITHUB_RUN_ID": "12",
        "GITHUB_RUN_ATTEMPT": "3",
        "KGATE_TOKEN": TOKEN,
    }

    comment.post(tmp_path, environ)

    marker, text = fake.comments[0]["body"].splitlines()
    assert marker.startswith(f"<!-- kgate manifest=kgate.yaml run=12 attempt=3 head={'b' * 40} verdict=warn nonce=")
    assert text == "**kgate: warn**"
    assert fake.headers[-1]["authorization"] == f"Bearer {TOKEN}"
