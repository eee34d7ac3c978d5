"""What a repository's settings say about its gate: rules of the main branch, and whose workflows wait for approval."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from kgate.errors import DeliveryError
from kgate.github import answers
from kgate.github import client as clients
from kgate.github.answers import BranchRule
from kgate.github.client import Client
from kgate.github.patience import Patience

# A look at settings is not worth the minutes that a comment is.
BRIEF = Patience(connect_s=3, read_s=10, answer_s=20, waiting_s=5, tries=2)

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """`rules` and `approval` are None where GitHub did not tell; `reasons` then say why, by the field's name."""

    branch: str = ""
    rules: tuple[BranchRule, ...] | None = None
    approval: str | None = None
    reasons: Mapping[str, str] = field(default_factory=dict)


def settings(environ: Mapping[str, str], repository: str) -> Settings:
    """Asks GitHub, if there is a token and an address; never raises for an answer that does not come."""
    reasons: dict[str, str] = {}
    try:
        client = clients.from_environment(environ, repository)
    except DeliveryError as error:
        return Settings(reasons={"rules": str(error), "approval": str(error)})
    client = replace(client, connection=replace(client.connection, patience=BRIEF))

    def told(name: str, ask: Callable[[], T]) -> T | None:
        try:
            return ask()
        except DeliveryError as error:
            reasons[name] = str(error)
            return None

    branch = told("rules", lambda: main_branch(client))
    rules = told("rules", lambda: tuple(client.rules(branch))) if branch else None
    approval = told("approval", lambda: approval_of(client))
    return Settings(branch=branch or "", rules=rules, approval=approval, reasons=reasons)


def main_branch(client: Client) -> str:
    match client.connection.get(f"/repos/{client.repository}"):
        case {"default_branch": str(name)}:
            return name
    raise answers.unexpected("repository", "default_branch")


def approval_of(client: Client) -> str:
    """`all_external_contributors`, `first_time_contributors` or `first_time_contributors_new_to_github`."""
    match client.connection.get(f"/repos/{client.repository}/actions/permissions/fork-pr-contributor-approval"):
        case {"approval_policy": str(said)}:
            return said
    raise answers.unexpected("policy for forks", "approval_policy")
