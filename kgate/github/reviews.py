"""
Approvals that stand, of people who may write, for the report: `python -m kgate.github.reviews FILE MANIFEST`.

A step of its own, since it is the one of a report that needs a token. What an approval is worth is not decided here.
"""

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kgate.errors import DeliveryError, ExitCode
from kgate.github import client as clients
from kgate.github import event as events
from kgate.github.answers import Review
from kgate.github.client import Client
from kgate.github.comment import pull_of
from kgate.github.connection import RefusedError
from kgate.github.event import Event

MAY_WRITE = ("admin", "write")
DECIDING = ("APPROVED", "CHANGES_REQUESTED", "DISMISSED")
QUEUED = re.compile(r"refs/heads/gh-readonly-queue/.+/pr-([0-9]{1,10})-[0-9a-f]{40,64}")
TEAM = re.compile(r"@([A-Za-z0-9][\w.-]*)/([\w.-]+)", re.ASCII)
TEAMS_LIMIT = 20
MANIFEST_LIMIT_BYTES = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Voice:
    """As kgate.joining.approvals has it, which reads what this writes."""

    by: str
    commit: str
    teams: tuple[str, ...] = ()


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Exit code 4 where GitHub could not be asked; then no review counts."""
    file, manifest = Path(arguments[0]), Path(arguments[1])
    try:
        body = fetched(environ, teams_in(manifest))
        file.write_text(json.dumps(body) + "\n", encoding="utf-8")
    except (DeliveryError, OSError) as error:
        print(f"kgate: no review counts: {error}", file=sys.stderr)
        return ExitCode.DELIVERY
    return ExitCode.GREEN


def fetched(environ: Mapping[str, str], teams: Iterable[str]) -> dict[str, Any]:
    event = events.read(environ)
    client = clients.from_environment(environ, event.repository)
    authors: list[str] = []
    voices: list[Voice] = []
    for number in pulls(client, event, environ):
        authors.append(f"@{client.pull(number).author.login}")
        voices += heard(client, client.reviews(number), tuple(teams))
    return {"authors": authors, "voices": [asdict(voice) for voice in voices], "remarks": []}


def pulls(client: Client, event: Event, environ: Mapping[str, str]) -> Iterator[int]:
    """
    Those that the run is of. Of a group of a merge queue GitHub names the last one, by a branch of its own making; the
    others were each the last one of a group before.
    """
    if event.pull is not None:
        yield event.pull
    elif event.name == "merge_group":
        queued = QUEUED.fullmatch(environ.get("GITHUB_REF", ""))
        if queued is not None:
            yield int(queued[1])
    elif (found := pull_of(client, event)) is not None:
        yield found


def heard(client: Client, reviews: Iterable[Review], teams: Sequence[str]) -> Iterator[Voice]:
    """Of everybody the last review that says yes or no; a comment changes nothing."""
    last = {review.author.login: review for review in reviews if review.state in DECIDING}
    for login, review in last.items():
        if review.state == "APPROVED" and login and review.commit and client.permission(login) in MAY_WRITE:
            mine = tuple(f"@{team}" for team in teams if member(client, team, login))
            yield Voice(by=f"@{login}", commit=review.commit, teams=mine)


def member(client: Client, team: str, login: str) -> bool:
    """A token that may not ask, as GITHUB_TOKEN is, knows of no member."""
    organisation, _, slug = team.partition("/")
    try:
        found = client.connection.get(f"/orgs/{organisation}/teams/{slug}/memberships/{login}")
    except RefusedError:
        return False
    return isinstance(found, dict) and found.get("state") == "active"


def teams_in(manifest: Path) -> tuple[str, ...]:
    """Whom to ask about, by a look at the text; which of them own what is for base's manifest to say."""
    try:
        with manifest.open("rb") as file:
            text = file.read(MANIFEST_LIMIT_BYTES).decode("utf-8", "replace")
    except OSError:
        return ()
    return tuple(dict.fromkeys(f"{org}/{slug}" for org, slug in TEAM.findall(text)))[:TEAMS_LIMIT]


if __name__ == "__main__":
    import os

    sys.exit(main(sys.argv[1:], os.environ))
