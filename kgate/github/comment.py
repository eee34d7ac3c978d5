"""
One comment per pull request and manifest, created once and rewritten by every later run.

A comment is ours if its first line is our marker *and* its author is us: anybody can write the marker. The marker
names the run that wrote it, so that an older run that ends late leaves a newer run's words alone, and a nonce, so
that a POST whose answer was lost can be looked for instead of repeated.
"""

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from kgate.errors import DeliveryError
from kgate.github import client as api
from kgate.github import event as events
from kgate.github.client import AmbiguousError, Author, Client, Comment, RefusedError
from kgate.github.fit import fit

LIMIT_CHARACTERS = 60_000  # GitHub refuses a body above 65,536
FILE_LIMIT_BYTES = 64 << 20
VERDICTS = ("pass", "warn", "fail", "no-verdict")
ACTIONS_BOT = Author(login="github-actions[bot]", kind="Bot")  # whom GITHUB_TOKEN writes as
MARKER = re.compile(
    r"<!-- kgate manifest=(?P<manifest>[\w.~%/-]*) run=(?P<run>[0-9]{1,18}) attempt=(?P<attempt>[0-9]{1,9}) "
    r"head=(?P<head>[0-9a-f]*) verdict=(?P<verdict>[a-z-]+) nonce=(?P<nonce>[0-9a-f]+) -->",
    re.ASCII,
)


@dataclass(frozen=True, kw_only=True)
class Marker:
    """First line of our comment. `manifest` tells apart the comments of several manifests in one repository."""

    manifest: str
    run: int
    attempt: int
    head: str
    verdict: str
    nonce: str

    def __str__(self) -> str:
        return (
            f"<!-- kgate manifest={quote(self.manifest)} run={self.run} attempt={self.attempt} "
            f"head={self.head} verdict={self.verdict} nonce={self.nonce} -->"
        )

    def newer_than(self, other: "Marker") -> bool:
        return (self.run, self.attempt) > (other.run, other.attempt)


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """What became of a comment, and the sentence that says so."""

    sentence: str
    url: str = ""


def post(results: Path, environ: Mapping[str, str], *, dry_run: bool = False) -> Delivery:
    """
    The comment of the run whose report.json and comment.md lie in `results`. Raises DeliveryError; the report stands.

    `dry_run` needs neither GitHub nor its variables, and gives back what would be written below the marker.
    """
    facts, text = facts_of(results / "report.json"), contents(results / "comment.md").decode("utf-8", "replace")
    if dry_run:
        return Delivery(sentence=fit(text, LIMIT_CHARACTERS))
    event = events.read(environ)
    marker = Marker(
        manifest=facts["manifest"],
        run=event.run,
        attempt=event.attempt,
        head=event.head,
        verdict=facts["verdict"],
        nonce=secrets.token_hex(8),
    )
    if event.pull is None:
        return Delivery(sentence=f"a {event.name} run has no pull request to comment on; nothing posted")
    return deliver(api.from_environment(environ, event.repository), event.pull, text, marker)


def deliver(client: Client, pull: int, text: str, marker: Marker) -> Delivery:
    """Create the comment, or rewrite our own unless a newer run wrote it."""
    author = client.author() or ACTIONS_BOT
    body = body_of(marker, text)
    mine = own(client, pull, author, marker.manifest)
    if mine is not None:
        comment, before = mine
        if before.newer_than(marker):
            return Delivery(sentence=f"run {before.run} is newer than this one; its comment stands", url=comment.url)
        try:
            changed = client.update(comment.number, body)
            return Delivery(sentence=f"comment updated on pull request {pull}", url=changed.url)
        except RefusedError as error:
            if error.status != 404:  # 404: somebody deleted it a moment ago
                raise
    created = create(client, pull, author, marker, body)
    return Delivery(sentence=f"comment created on pull request {pull}", url=created.url)


def create(client: Client, pull: int, author: Author, marker: Marker, body: str) -> Comment:
    """Twice at most, and the second time only after all comments were read and none is this one."""
    for last in (False, True):
        try:
            return client.create(pull, body)
        except AmbiguousError:
            client.sleep(client.patience.first_wait_s)
            mine = own(client, pull, author, marker.manifest)
            if mine is not None and mine[1].nonce == marker.nonce:
                return mine[0]
            if last:
                raise
    raise AssertionError("unreachable: the second round returns or raises")


def own(client: Client, pull: int, author: Author, manifest: str) -> tuple[Comment, Marker] | None:
    """The newest of our comments for this manifest; all pages are read, since ours may be the 251st."""
    ours = [
        (comment, marker)
        for comment in client.comments(pull)
        if comment.author == author and (marker := marker_of(comment.body)) and marker.manifest == quote(manifest)
    ]
    return max(ours, key=lambda pair: (pair[1].run, pair[1].attempt, pair[0].number), default=None)


def marker_of(body: str) -> Marker | None:
    """Of a body that begins with one; `manifest` stays quoted, as written."""
    match = MARKER.match(body)
    if match is None:
        return None
    return Marker(
        manifest=match["manifest"],
        run=int(match["run"]),
        attempt=int(match["attempt"]),
        head=match["head"],
        verdict=match["verdict"],
        nonce=match["nonce"],
    )


def body_of(marker: Marker, text: str) -> str:
    return fit(f"{marker}\n{text}", LIMIT_CHARACTERS)


def facts_of(path: Path) -> dict[str, str]:
    """`verdict` and `manifest` of a report, read as data that anybody may have written."""
    try:
        report = json.loads(contents(path))
    except (ValueError, RecursionError) as error:
        raise DeliveryError(f"{path}: not JSON; write it anew with `kgate check --results {path.parent}`") from error
    match report:
        case {"verdict": str(verdict), "manifest": str(manifest)} if (
            verdict in VERDICTS and len(manifest) < 1000 and manifest.isprintable()
        ):
            return {"verdict": verdict, "manifest": manifest}
    raise DeliveryError(f"{path}: not a report of kgate's (verdict and manifest are wanted); write it anew")


def contents(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            text = file.read(FILE_LIMIT_BYTES + 1)
    except OSError as error:
        raise DeliveryError(f"{path}: {error.strerror}; `kgate check --results FOLDER` writes it") from error
    if len(text) > FILE_LIMIT_BYTES:
        raise DeliveryError(f"{path}: more than {FILE_LIMIT_BYTES >> 20} MiB; no report of kgate's is that long")
    return text
