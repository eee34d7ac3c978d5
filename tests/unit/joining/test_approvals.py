"""Whose review counts, and what is read of reviews."""

from pathlib import Path

import pytest

from kgate.errors import UsageError
from kgate.joining.approvals import Reviews, Voice, may, read
from kgate.model import Amendment, Terms

LOOSER = Amendment(
    kind="loosened", what="tolerance float32", kernel="gemm", workload="small", owners=("@ada", "@acme/k")
)


def voice(by: str, *teams: str) -> Voice:
    return Voice(by=by, commit="c" * 40, teams=teams)


@pytest.mark.parametrize(
    ("owners", "authors", "who", "counts"),
    [
        (("@ada",), ("@grace",), voice("@ada"), True),
        (("@ada",), ("@grace",), voice("@ADA"), True),
        (("@ada",), ("@grace",), voice("@mallory"), False),
        (("@ada", "@grace"), ("@grace",), voice("@grace"), False),
        (("@acme/kernels",), ("@grace",), voice("@ada", "@acme/kernels"), True),
        (("@acme/kernels",), ("@grace",), voice("@ada", "@acme/docs"), False),
        # The only owner is the author: any second person who may write.
        (("@ada",), ("@ada",), voice("@mallory"), True),
        (("@ada",), ("@ada",), voice("@ada"), False),
        (("@ada", "@acme/kernels"), ("@ada",), voice("@mallory"), False),
        # Nobody owns it.
        ((), ("@ada",), voice("@mallory"), True),
        ((), ("@ada",), voice("@ada"), False),
        # Of several pull requests in a group of the queue nobody approves what he has a part in.
        (("@ada",), ("@grace", "@ada"), voice("@ada"), False),
    ],
)
def test_an_owner_approves_and_no_author_does(
    owners: tuple[str, ...], authors: tuple[str, ...], who: Voice, counts: bool
) -> None:
    asked = Amendment(kind="loosened", what="tolerance float32", kernel="gemm", owners=owners)

    assert may(who, asked, authors) is counts


def test_a_review_lets_through_what_it_names_and_nothing_else() -> None:
    other = Amendment(kind="removed", what="workload", kernel="gemm", workload="large", owners=("@ada",))
    terms = Terms(amendments=(LOOSER, other), approvals={LOOSER.name: ("@grace",)})

    assert [terms.approved(a) for a in terms.amendments] == [True, False]
    assert [terms.approvers(a) for a in terms.amendments] == [("@grace",), ()]


def test_what_the_action_has_written_is_read_back(tmp_path: Path) -> None:
    file = tmp_path / "reviews.json"
    file.write_text(
        '{"authors": ["@ada"], "voices": [{"by": "@grace", "commit": "c", "teams": ["@a/b"]}], "remarks": []}'
    )

    assert read(file) == Reviews(authors=("@ada",), voices=(Voice(by="@grace", commit="c", teams=("@a/b",)),))


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"voices": [{"by": "@a"}]}', '{"voices": "@a"}', '{"voices": [], "more": 1}', '{"authors": [NaN]}'],
)
def test_what_is_no_list_of_reviews_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "reviews.json"
    file.write_text(text)

    with pytest.raises(UsageError, match=r"--reviews .*reviews\.json: no reviews as kgate writes them"):
        read(file)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read(tmp_path / "absent.json")
