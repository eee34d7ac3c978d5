"""The few endpoints of GitHub's REST API that kgate asks, as methods that give values; `connection` does the asking."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from kgate.errors import DeliveryError
from kgate.github import answers, connection
from kgate.github.answers import Artifact, Author, BranchRule, Comment, Pull, Review
from kgate.github.connection import Connection, RefusedError

INSTALLATION = "ghs_"  # GitHub's mark on tokens of an app's installation


@dataclass(frozen=True, kw_only=True)
class Client:
    """
    Of one repository, "owner/name".

    Raises DeliveryError from every method: where, what GitHub said, what to do.
    """

    connection: Connection
    repository: str

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[\w.-]+/[\w.-]+", self.repository, re.ASCII):
            raise DeliveryError(f"GITHUB_REPOSITORY: {self.repository!r} is not of the form owner/name")

    @property
    def _here(self) -> str:
        return f"/repos/{self.repository}"

    def author(self) -> Author | None:
        """Whose token this is; None for an installation token (GITHUB_TOKEN is one), which may not ask."""
        if self.connection.token.startswith(INSTALLATION):
            return None
        try:
            return answers.author(self.connection.get("/user"))
        except RefusedError as error:
            if error.status in (403, 404):
                return None
            raise

    def comments(self, pull: int) -> Iterator[Comment]:
        """All comments of a pull request, oldest first, through all pages."""
        path, what = f"{self._here}/issues/{pull}/comments", f"the comments of pull request {pull}"
        return map(answers.comment, self.connection.pages(path, what))

    def create(self, pull: int, body: str) -> Comment:
        """Raises AmbiguousError where the comment may exist all the same: look for it before trying again."""
        return answers.comment(self.connection.send("POST", f"{self._here}/issues/{pull}/comments", {"body": body}))

    def update(self, comment: int, body: str) -> Comment:
        """Raises RefusedError with status 404 where the comment has been deleted meanwhile."""
        return answers.comment(self.connection.send("PATCH", f"{self._here}/issues/comments/{comment}", {"body": body}))

    def delete(self, comment: int) -> None:
        """Nothing where it is gone already, be it by a first try whose answer was lost."""
        try:
            self.connection.send("DELETE", f"{self._here}/issues/comments/{comment}")
        except RefusedError as error:
            if error.status != 404:
                raise

    def pull(self, number: int) -> Pull:
        return answers.pull(self.connection.get(f"{self._here}/pulls/{number}"))

    def open_pulls(self, owner: str, branch: str) -> Iterator[Pull]:
        """Those that want to merge this branch of this owner's, be it of a fork."""
        path = f"{self._here}/pulls?state=open&head={quote(f'{owner}:{branch}', safe='')}"
        return map(answers.pull, self.connection.pages(path, f"the pull requests of {owner}:{branch}"))

    def reviews(self, pull: int) -> Iterator[Review]:
        """Oldest first; a later one of the same author's takes the place of an earlier one."""
        path, what = f"{self._here}/pulls/{pull}/reviews", f"the reviews of pull request {pull}"
        return map(answers.review, self.connection.pages(path, what))

    def permission(self, login: str) -> str:
        """`admin`, `write`, `read` or `none`."""
        return answers.permission(self.connection.get(f"{self._here}/collaborators/{quote(login, safe='')}/permission"))

    def artifacts(self, run: int) -> Iterator[Artifact]:
        """Of all attempts of a run of a workflow."""
        path = f"{self._here}/actions/runs/{run}/artifacts"
        return map(answers.artifact, self.connection.pages(path, f"the artifacts of run {run}", "artifacts"))

    def rules(self, branch: str) -> Iterator[BranchRule]:
        """What rulesets, of the repository or of its organisation, ask of a branch; not those that are switched off."""
        path, what = f"{self._here}/rules/branches/{quote(branch, safe='')}", f"the rules of branch {branch}"
        return map(answers.branch_rule, self.connection.pages(path, what))

    def set_status(self, commit: str, state: str, context: str, description: str) -> None:
        """
        `state`: success, failure, error or pending. Asks twice where an answer was lost, as a second status of the same
        context takes the first one's place.
        """
        said = {"state": state, "context": context, "description": description[:140]}  # GitHub takes no more
        path = f"{self._here}/statuses/{quote(commit, safe='')}"
        try:
            self.connection.send("POST", path, said)
        except connection.AmbiguousError:
            self.connection.send("POST", path, said)


def from_environment(environ: Mapping[str, str], repository: str) -> Client:
    return Client(connection=connection.from_environment(environ), repository=repository)
