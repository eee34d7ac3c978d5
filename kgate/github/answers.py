"""What GitHub's REST API answers, as values. Raises DeliveryError for what has not the form that is asked for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kgate.errors import DeliveryError


@dataclass(frozen=True, kw_only=True)
class Author:
    """Of a deleted user's words both are ""."""

    login: str
    kind: str  # "User", "Bot", "Organization"


@dataclass(frozen=True, kw_only=True)
class Comment:
    number: int
    body: str
    author: Author
    url: str


@dataclass(frozen=True, kw_only=True)
class Pull:
    """`head` and `base` are commits. Repositories are by number, since names can be taken over; 0: deleted."""

    number: int
    head: str
    base: str
    head_repository: int
    base_repository: int
    author: Author


@dataclass(frozen=True, kw_only=True)
class Review:
    """`state`: APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED, PENDING. `commit` "": it is not there any more."""

    number: int
    author: Author
    state: str
    commit: str
    submitted: str  # UTC, ISO 8601


@dataclass(frozen=True, kw_only=True)
class Artifact:
    number: int
    name: str
    size_bytes: int
    expired: bool


@dataclass(frozen=True, kw_only=True)
class BranchRule:
    """A rule of a ruleset that is in force for a branch: "required_status_checks", "pull_request", "workflows", …"""

    kind: str
    parameters: Mapping[str, Any] = field(default_factory=dict)


def author(user: Any) -> Author:
    match user:
        case {"login": str(login), "type": str(kind)}:
            return Author(login=login, kind=kind)
        case None:
            return Author(login="", kind="")
    raise unexpected("user", "login and type")


def comment(entry: Any) -> Comment:
    match entry:
        case {"id": int(number), "body": str() | None as body, "user": user}:
            return Comment(number=number, body=body or "", author=author(user), url=text(entry, "html_url"))
    raise unexpected("comment", "id, body and user")


def pull(entry: Any) -> Pull:
    match entry:
        case {
            "number": int(number),
            "head": {"sha": str(head)},
            "base": {"sha": str(base), "repo": {"id": int(ours)}},
            "user": user,
        }:
            theirs = entry["head"].get("repo")
            return Pull(
                number=number,
                head=head,
                base=base,
                head_repository=theirs.get("id", 0) if isinstance(theirs, dict) else 0,
                base_repository=ours,
                author=author(user),
            )
    raise unexpected("pull request", "number, head and base")


def review(entry: Any) -> Review:
    match entry:
        case {"id": int(number), "user": user, "state": str(state)}:
            return Review(
                number=number,
                author=author(user),
                state=state,
                commit=text(entry, "commit_id"),
                submitted=text(entry, "submitted_at"),
            )
    raise unexpected("review", "id, user and state")


def artifact(entry: Any) -> Artifact:
    match entry:
        case {"id": int(number), "name": str(name), "size_in_bytes": int(size), "expired": bool(expired)}:
            return Artifact(number=number, name=name, size_bytes=size, expired=expired)
    raise unexpected("artifact", "id, name, size_in_bytes and expired")


def branch_rule(entry: Any) -> BranchRule:
    match entry:
        case {"type": str(kind)}:
            parameters = entry.get("parameters")
            return BranchRule(kind=kind, parameters=parameters if isinstance(parameters, dict) else {})
    raise unexpected("rule of a branch", "type")


def permission(entry: Any) -> str:
    """`admin`, `write`, `read` or `none`; GitHub calls maintain write and triage read here."""
    match entry:
        case {"permission": str(said)}:
            return said
    raise unexpected("permission", "permission")


def text(entry: Mapping[str, Any], key: str) -> str:
    """ "" where GitHub gives null or leaves it out."""
    value = entry.get(key)
    return value if isinstance(value, str) else ""


def unexpected(what: str, wanted: str) -> DeliveryError:
    return DeliveryError(f"GitHub's answer is no {what} ({wanted} are wanted); is GITHUB_API_URL right?")
