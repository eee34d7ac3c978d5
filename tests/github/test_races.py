"""Several runs on one pull request: the newest commit's words stand, in one comment, whoever comes when."""

from dataclasses import replace

import pytest

from tests.github.conftest import BOT
from tests.github.test_comment import EARLIER, MARKER, delivered, passes

pytestmark = pytest.mark.real


def test_a_commit_that_is_no_longer_the_pull_requests_head_is_said_to_be_stale(fake, client):
    fake.head = "d" * 40

    delivered(client, "**kgate: fail.**", MARKER)

    first, said, *_ = fake.comments[0]["body"].splitlines()
    assert first == str(MARKER)
    assert said.startswith("⚠️ **Stale:** this is of commit aaaaaaaaa; the pull request is at ddddddddd by now")


@pytest.mark.parametrize("status", [403, 404])
def test_a_token_that_may_not_read_the_pull_request_posts_all_the_same(fake, client, status):
    fake.faults = [lambda verb, carry_out: (status, {}, {"message": "Resource not accessible by integration"})]

    delivered(client, "text", MARKER)

    assert [c["body"] for c in fake.comments] == [f"{MARKER}\ntext"]


def test_the_comment_of_the_newest_commit_is_never_overwritten_by_one_of_an_older(fake, client, writes):
    fake.head = "d" * 40
    fake.say(f"{replace(EARLIER, head='d' * 40)}\nnewer", BOT)

    delivery = delivered(client, "late", replace(MARKER, run=90))

    assert writes() == []
    assert "run 70 is newer" in delivery.sentence


def test_a_long_report_is_cut_on_rewriting_too_with_the_word_on_stale_results_kept(fake, client):
    fake.head = "d" * 40
    fake.say(f"{EARLIER}\nold", BOT)

    delivered(client, "| row |\n" * 20_000, replace(MARKER, run=71))

    body = fake.comments[0]["body"]
    assert len(body) <= 60_000
    assert "**Stale:**" in body.splitlines()[1]


def test_of_two_runs_that_create_at_once_one_comment_stays_with_the_newers_words(fake, client):
    older, newer = MARKER, replace(MARKER, run=71, nonce="ff")

    def overtaken(verb, carry_out):
        fake.say(f"{older}\nolder", BOT)

    fake.faults = [passes, passes, overtaken]

    delivered(client, "newer", newer)

    assert [c["body"] for c in fake.comments] == [f"{newer}\nnewer"]


def test_a_run_that_finds_itself_overtaken_takes_its_own_comment_back(fake, client):
    newer = replace(MARKER, run=71, nonce="ff")

    def overtaken(verb, carry_out):
        fake.say(f"{newer}\nnewer", BOT)

    fake.faults = [passes, passes, overtaken]

    delivery = delivered(client, "older", MARKER)

    assert [c["body"] for c in fake.comments] == [f"{newer}\nnewer"]
    assert "run 71 is newer" in delivery.sentence


def test_words_that_an_older_run_wrote_over_ours_are_mended(fake, client):
    newer = replace(MARKER, run=71, nonce="ff")
    fake.say(f"{replace(EARLIER, run=60, nonce='0d')}\noldest", BOT)

    def overwritten(verb, carry_out):
        answer = carry_out()
        fake.comments[0]["body"] = f"{MARKER}\nolder"
        return answer

    fake.faults = [passes, passes, overwritten]

    delivered(client, "newer", newer)

    assert [c["body"] for c in fake.comments] == [f"{newer}\nnewer"]


def test_of_one_runs_two_postings_the_later_stays(fake, client):
    delivered(client, "first", MARKER)

    delivered(client, "second", replace(MARKER, nonce="ff"))

    assert [c["body"].splitlines()[1] for c in fake.comments] == ["second"]


def test_duplicates_that_a_killed_run_left_are_cleared_away(fake, client):
    fake.say(f"{EARLIER}\none", BOT)
    fake.say(f"{replace(EARLIER, nonce='0d')}\ntwo", BOT)

    delivered(client, "new", replace(MARKER, run=71, nonce="ff"))

    assert [(c["id"], c["body"].splitlines()[1]) for c in fake.comments] == [(1000, "new")]


def test_nothing_is_said_where_nothing_gated_has_changed(fake, client, writes):
    delivery = delivered(client, "pass", MARKER, quiet=True)

    assert writes() == []
    assert "no comment was made" in delivery.sentence


def test_a_comment_that_is_there_learns_that_nothing_gated_has_changed(fake, client):
    delivered(client, "fail", MARKER)

    delivered(client, "pass", replace(MARKER, run=71, nonce="ff"), quiet=True)

    assert [c["body"].splitlines()[1] for c in fake.comments] == ["pass"]
