"""
Which pull request this is. Everything here was written by GitHub, on the runner; of what it quotes, a branch's name is
the only word of the change's author.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgate.errors import DeliveryError

SIZE_LIMIT_BYTES = 25 << 20  # GitHub caps an event's payload at 25 MB
COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
OF_PULLS = ("pull_request", "pull_request_review")


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where the pull request of an earlier run comes from; repositories by number."""

    owner: str
    branch: str
    repository: int
    base_repository: int


@dataclass(frozen=True, kw_only=True)
class Event:
    """
    What started this run. `pull` is None where there is no pull request to answer: a merge group, a push.

    `head` and `base` are commits; of a pull request the tip of its branch, never GitHub's merge commit. A later run has
    a greater (run, attempt). After a workflow_run all of it is of the run that was followed, and `source` is what its
    pull request can be found by, which GitHub does not name for a fork.
    """

    name: str
    repository: str
    pull: int | None
    head: str
    base: str
    fork: bool
    run: int
    attempt: int
    source: Source | None = None


def read(environ: Mapping[str, str]) -> Event:
    """From the variables of GitHub Actions and the file of GITHUB_EVENT_PATH. Raises DeliveryError."""
    name, payload = wanted(environ, "GITHUB_EVENT_NAME"), payload_of(wanted(environ, "GITHUB_EVENT_PATH"))
    if name == "workflow_run":
        return followed(payload, environ)
    head, base, pull, fork = sides(name, payload, environ)
    return Event(
        name=name,
        repository=wanted(environ, "GITHUB_REPOSITORY"),
        pull=pull,
        head=commit(head, "head"),
        base=commit(base, "base") if base else "",
        fork=fork,
        run=count(environ, "GITHUB_RUN_ID"),
        attempt=count(environ, "GITHUB_RUN_ATTEMPT"),
    )


def followed(payload: Mapping[str, Any], environ: Mapping[str, str]) -> Event:
    """The run that a workflow_run event tells of, as an event of its own."""
    match payload:
        case {
            "workflow_run": {
                "id": int(run),
                "run_attempt": int(attempt),
                "event": str(name),
                "head_sha": str(head),
                "head_branch": str(branch),
                "head_repository": {"id": int(theirs), "owner": {"login": str(owner)}},
                "repository": {"id": int(ours)},
            }
        } if bool not in {type(number) for number in (run, attempt, theirs, ours)}:
            of_pull = name in OF_PULLS
            source = Source(owner=owner, branch=branch, repository=theirs, base_repository=ours)
            return Event(
                name=f"workflow_run ({name})",
                repository=wanted(environ, "GITHUB_REPOSITORY"),
                pull=None,
                head=commit(head, "head"),
                base="",
                fork=theirs != ours,
                run=run,
                attempt=attempt,
                source=source if of_pull else None,
            )
    raise DeliveryError("GITHUB_EVENT_PATH: not the payload of a workflow_run event; is it the file GitHub wrote?")


def sides(name: str, payload: Mapping[str, Any], environ: Mapping[str, str]) -> tuple[str, str, int | None, bool]:
    """Head, base, pull request, and whether it comes from another repository."""
    match name, payload:
        case "merge_group", {"merge_group": {"head_sha": str(head), "base_sha": str(base)}}:
            return head, base, None, False
        case _, {"pull_request": {"number": int(pull), "head": {"sha": str(head)}, "base": {"sha": str(base)}}} if (
            name in OF_PULLS and type(pull) is int and pull > 0
        ):
            return head, base, pull, from_fork(payload["pull_request"])
    if name in (*OF_PULLS, "merge_group"):
        raise DeliveryError(f"GITHUB_EVENT_PATH: not the payload of a {name} event; is it the file GitHub wrote?")
    return wanted(environ, "GITHUB_SHA"), "", None, False


def from_fork(pull: Mapping[str, Any]) -> bool:
    """A head repository that has been deleted counts as one: what cannot be told is treated as foreign."""
    match pull:
        case {"head": {"repo": {"id": int(theirs)}}, "base": {"repo": {"id": int(ours)}}}:
            return theirs != ours
    return True


def payload_of(path: str) -> Mapping[str, Any]:
    try:
        with Path(path).open("rb") as file:
            text = file.read(SIZE_LIMIT_BYTES + 1)
        payload = json.loads(text[:SIZE_LIMIT_BYTES])
    except (OSError, ValueError, RecursionError) as error:
        raise DeliveryError(f"GITHUB_EVENT_PATH: {path} cannot be read as JSON ({type(error).__name__})") from error
    if not isinstance(payload, dict):
        raise DeliveryError(f"GITHUB_EVENT_PATH: {path} holds no JSON object")
    return payload


def wanted(environ: Mapping[str, str], name: str) -> str:
    if not environ.get(name):
        raise DeliveryError(f"{name} is not set; comments are posted from within GitHub Actions, which sets it")
    return environ[name]


def commit(text: str, what: str) -> str:
    if not COMMIT.fullmatch(text):
        raise DeliveryError(f"the event's {what} {text[:60]!r} is no commit hash; is GITHUB_EVENT_PATH GitHub's file?")
    return text


def count(environ: Mapping[str, str], name: str) -> int:
    text = wanted(environ, name)
    if not re.fullmatch(r"[0-9]{1,18}", text):
        raise DeliveryError(f"{name}: {text[:60]!r} is no number; GitHub Actions sets it")
    return int(text)
