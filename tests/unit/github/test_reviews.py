"""Of all reviews those that say yes, say it last, and are of people who may write."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from kgate.errors import DeliveryError
from kgate.github import reviews
from kgate.github.answers import Author, Review
from kgate.github.connection import RefusedError
from kgate.github.event import Event
from kgate.github.reviews import Voice, heard, pulls, teams_in

HEAD = "c" * 40


@dataclass
class Asked:
    """What GitHub answers, by login: the permission, and the teams of which one is an active member."""

    rights: Mapping[str, str]
    members: Mapping[str, str] = field(default_factory=dict)

    @property
    def connection(self) -> "Asked":
        return self

    def permission(self, login: str) -> str:
        return self.rights.get(login, "none")

    def get(self, path: str) -> Any:
        if path not in self.members:
            raise RefusedError("Must have admin rights", 403)
        return {"state": self.members[path]}


def review(login: str, state: str, number: int = 1, commit: str = HEAD) -> Review:
    author = Author(login=login, kind="User")
    return Review(number=number, author=author, state=state, commit=commit, submitted="2026-11-30T08:00:00Z")


def said(*given: Review, teams: tuple[str, ...] = (), **more: Any) -> list[Voice]:
    asked = Asked(rights={"ada": "write", "grace": "admin", "mallory": "read"}, **more)
    return list(heard(asked, given, teams))  # type: ignore[arg-type]


def test_who_may_write_and_approves_is_heard() -> None:
    found = said(review("ada", "APPROVED"), review("grace", "APPROVED"), review("mallory", "APPROVED"))

    assert found == [Voice(by="@ada", commit=HEAD), Voice(by="@grace", commit=HEAD)]


@pytest.mark.parametrize(
    ("states", "counts"),
    [
        (("APPROVED", "COMMENTED"), True),
        (("APPROVED", "CHANGES_REQUESTED"), False),
        (("APPROVED", "DISMISSED"), False),
        (("CHANGES_REQUESTED", "APPROVED"), True),
        (("COMMENTED",), False),
        (("PENDING",), False),
    ],
)
def test_the_last_word_counts_and_a_comment_is_none(states: tuple[str, ...], counts: bool) -> None:
    assert bool(said(*(review("ada", state, n) for n, state in enumerate(states)))) is counts


@pytest.mark.parametrize("given", [review("", "APPROVED"), review("ada", "APPROVED", commit="")])
def test_a_reviewer_or_a_commit_that_is_gone_says_nothing(given: Review) -> None:
    assert said(given) == []


def test_a_member_speaks_for_a_team_and_one_who_is_only_invited_does_not() -> None:
    paths = {"/orgs/acme/teams/kernels/memberships/ada": "active", "/orgs/acme/teams/docs/memberships/ada": "pending"}

    found = said(review("ada", "APPROVED"), teams=("acme/kernels", "acme/docs", "acme/hidden"), members=paths)

    assert found == [Voice(by="@ada", commit=HEAD, teams=("@acme/kernels",))]


def event(name: str, pull: int | None) -> Event:
    return Event(name=name, repository="a/b", pull=pull, head=HEAD, base=HEAD, fork=False, run=1, attempt=1)


@pytest.mark.parametrize(
    ("of", "ref", "numbers"),
    [
        (event("pull_request", 7), "", [7]),
        (event("merge_group", None), f"refs/heads/gh-readonly-queue/main/pr-12-{HEAD}", [12]),
        (event("merge_group", None), f"refs/heads/gh-readonly-queue/release/v1/pr-12-{HEAD}", [12]),
        (event("merge_group", None), "refs/heads/gh-readonly-queue/main/pr-12", []),
        (event("push", None), "refs/heads/main", []),
    ],
)
def test_the_pull_request_is_the_events_and_a_queues_is_in_the_name_of_its_branch(
    of: Event, ref: str, numbers: list[int]
) -> None:
    assert list(pulls(Asked(rights={}), of, {"GITHUB_REF": ref})) == numbers  # type: ignore[arg-type]


def test_teams_are_those_that_the_manifest_names(tmp_path: Path) -> None:
    (tmp_path / "kgate.yaml").write_text('owners: ["@acme/kernels", "@ada"]\nowners: ["@acme/kernels", "@b-c/d.e"]\n')

    assert teams_in(tmp_path / "kgate.yaml") == ("acme/kernels", "b-c/d.e")
    assert teams_in(tmp_path / "absent.yaml") == ()


def test_where_github_cannot_be_asked_no_file_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(*_: object) -> dict[str, Any]:
        raise DeliveryError("GitHub answered 502")

    monkeypatch.setattr(reviews, "fetched", refused)
    code = reviews.main([str(tmp_path / "reviews.json"), "kgate.yaml"], {})

    assert code == 4
    assert capsys.readouterr().err == "kgate: no review counts: GitHub answered 502\n"
    assert not (tmp_path / "reviews.json").exists()


def test_what_is_written_is_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reviews, "fetched", lambda environ, teams: {"authors": ["@ada"], "voices": [], "remarks": []})

    assert reviews.main([str(tmp_path / "reviews.json"), "kgate.yaml"], {}) == 0
    assert json.loads((tmp_path / "reviews.json").read_text())["authors"] == ["@ada"]
