"""
One comment per pull request and manifest, created once and rewritten by every later run.

A comment is ours if its first line is our marker *and* its author is us: anybody can write the marker. GitHub knows no
condition on a write, so that two runs can both find nothing and both create: who writes looks again afterwards, and
mends what is not as it should be. The first of our comments stays, the newest run's words stand in it.
"""

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kgate import escape
from kgate.errors import DeliveryError
from kgate.github import client as clients
from kgate.github import event as events
from kgate.github.answers import Author, Comment
from kgate.github.client import Client
from kgate.github.connection import AmbiguousError, RefusedError
from kgate.github.event import Event
from kgate.github.fit import fit
from kgate.github.marker import Marker, marker_of
from kgate.github.results import Results

LIMIT_CHARACTERS = 60_000  # GitHub refuses a body above 65,536
ROUNDS = 5  # of looking and mending; an ambiguous POST and a race that is lost need three
ACTIONS_BOT = Author(login="github-actions[bot]", kind="Bot")  # whom GITHUB_TOKEN writes as


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """What became of a comment, and the sentence that says so."""

    sentence: str
    url: str = ""


@dataclass(frozen=True, kw_only=True)
class Letter:
    """What is to be posted where. `quiet`: only where we have commented before, since there is nothing to say."""

    pull: int
    marker: Marker
    text: str
    quiet: bool = False


Ours = tuple[Comment, Marker]


@contextmanager
def told(environ: Mapping[str, str]) -> Iterator[None]:
    """What goes wrong within is a warning on the page of the run as well, where this is a job of GitHub's."""
    try:
        yield
    except DeliveryError as error:
        if environ.get("GITHUB_ACTIONS") == "true":
            print(escape.command("warning", f"{error}. The verdict stands.", title="kgate: no comment was made"))
        raise


def post(folder: Path, environ: Mapping[str, str], *, dry_run: bool = False) -> Delivery:
    """
    The comment of the run whose report.json and comment.md lie in `folder`. Raises DeliveryError; the report stands.

    `dry_run` needs neither GitHub nor its variables, and gives back what would be written below the marker.
    """
    results = Results.read(folder)
    if dry_run:
        return Delivery(sentence=fit(results.text, LIMIT_CHARACTERS))
    event = events.read(environ)
    if event.pull is None and event.source is None:
        return Delivery(sentence=f"a {event.name} run has no pull request to comment on; nothing posted")
    client = clients.from_environment(environ, event.repository)
    pull = event.pull or pull_of(client, event)
    if pull is None:
        return Delivery(sentence=f"no open pull request is at commit {event.head[:9]} any more; nothing posted")
    marker = Marker(
        manifest=results.manifest,
        run=event.run,
        attempt=event.attempt,
        head=event.head,
        verdict=results.verdict,
        nonce=secrets.token_hex(8),
    )
    return deliver(client, Letter(pull=pull, marker=marker, text=results.text, quiet=results.quiet))


def pull_of(client: Client, event: Event) -> int | None:
    """
    The pull request that a workflow_run followed, by what GitHub itself says of it, since a fork's is not in the
    payload and an artifact can name any: the one whose branch, repositories and commit are those of the run.
    """
    source = event.source
    if source is None:
        return None
    numbers = [
        pull.number
        for pull in client.open_pulls(source.owner, source.branch)
        if pull.head == event.head
        and pull.head_repository == source.repository
        and pull.base_repository == source.base_repository
    ]
    if len(numbers) > 1:
        named = ", ".join(map(str, numbers))
        raise DeliveryError(f"commit {event.head[:9]} is the head of pull requests {named}; which of them is not known")
    return numbers[0] if numbers else None


def deliver(client: Client, letter: Letter) -> Delivery:
    """
    Create the comment, or rewrite our own unless a newer run wrote it.

    Who we are is known for certain once we have created a comment: an app other than that of GITHUB_TOKEN, which may
    not ask, finds its earlier comment then, and the new one goes.
    """
    author, nonce, made = client.author() or ACTIONS_BOT, letter.marker.nonce, None
    for done in range(ROUNDS):
        current = head_of(client, letter)
        ours = own(client, letter.pull, author, letter.marker.manifest)
        newest = max(ours, key=lambda pair: (pair[1].rank(current), -pair[0].number), default=None)
        if newest is not None and newest[1].nonce != nonce and stands(newest[1], letter.marker, current, late=done > 0):
            withdraw(client, ours, nonce)
            return Delivery(
                sentence=f"run {newest[1].run} is newer than this one; its comment stands", url=newest[0].url
            )
        if len(ours) == 1 and ours[0][1].nonce == nonce:
            return Delivery(sentence=f"comment written on pull request {letter.pull}", url=ours[0][0].url)
        if not ours and made is not None:  # the list lags behind
            return Delivery(sentence=f"comment written on pull request {letter.pull}", url=made.url)
        if not ours and letter.quiet:
            return Delivery(sentence="nothing that kgate looks at has changed, so no comment was made")
        made = written(client, letter, ours, body_of(letter, current)) or made
        author = made.author if made else author
    raise DeliveryError(
        f"pull request {letter.pull}: other runs write the same comment all the time; given up after {ROUNDS} rounds"
    )


def head_of(client: Client, letter: Letter) -> str:
    """Of the pull request, now. A token that may comment and not read pull requests is no reason to say nothing."""
    try:
        return client.pull(letter.pull).head
    except RefusedError as error:
        if error.status in (403, 404):
            return letter.marker.head
        raise


def stands(before: Marker, marker: Marker, current: str, *, late: bool) -> bool:
    """Whether somebody else's comment is to be left. Of one run the later posting wins, which a `late` look finds."""
    theirs, mine = before.rank(current), marker.rank(current)
    return theirs > mine or (late and theirs == mine)


def withdraw(client: Client, ours: list[Ours], nonce: str) -> None:
    """What was created at the same moment as somebody else's comment, which is the one to stay."""
    for comment, marker in ours:
        if marker.nonce == nonce:
            client.delete(comment.number)


def written(client: Client, letter: Letter, ours: list[Ours], body: str) -> Comment | None:
    """
    One step towards a single comment with our words; what a lost answer leaves open shows in the next look. Gives the
    comment if it was created.
    """
    if not ours:
        try:
            return client.create(letter.pull, body)
        except AmbiguousError:
            client.connection.sleep(client.connection.patience.first_wait_s)
            return None
    (first, marker), *others = ours
    if marker.nonce != letter.marker.nonce:
        try:
            client.update(first.number, body)
        except RefusedError as error:
            if error.status != 404:  # 404: somebody deleted it a moment ago
                raise
            return None
    for comment, _ in others:
        client.delete(comment.number)
    return None


def own(client: Client, pull: int, author: Author, manifest: str) -> list[Ours]:
    """Our comments for this manifest, oldest first; all pages are read, since ours may be the 251st."""
    return sorted(
        (
            (comment, marker)
            for comment in client.comments(pull)
            if comment.author == author and (marker := marker_of(comment.body)) and marker.manifest == manifest
        ),
        key=lambda pair: pair[0].number,
    )


def body_of(letter: Letter, current: str) -> str:
    """`current`: the commit that the pull request is at, which need not be the one that was measured."""
    head = letter.marker.head
    stale = (
        f"⚠️ **Stale:** this is of commit {head[:9]}; the pull request is at {current[:9]} by now, whose run will "
        "answer here.\n\n"
    )
    return fit(f"{letter.marker}\n{'' if head == current else stale}{letter.text}", LIMIT_CHARACTERS)
