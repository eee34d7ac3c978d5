"""Who counts as an owner."""

import pytest

from kgate.model import Ownership, Place
from tests.unit.builders import judged, kernel, run_of

LINE = Place(path=".github/CODEOWNERS", line=3)


def sentences(owned: Ownership, **changes: object) -> list[str]:
    made = kernel(owners=(), **changes)
    run = run_of(made, base_kernels={}, ownership={"gemm": owned})
    return [f.sentence for f in judged(run) if f.rule == "owner-missing"]


def codeowners(pattern: str, *owners: str) -> Ownership:
    return Ownership(
        owners=(),
        files={"acme/gemm.py": (LINE, pattern, owners)} if pattern else {"acme/gemm.py": None},
        codeowners="CODEOWNERS",
    )


@pytest.mark.parametrize("owner", ["@ada", "@acme/kernels", "ada@acme.example", "@a-b/c.d_e"])
def test_user_team_and_mail_are_owners(owner):
    assert judged(run_of(kernel(owners=(owner,)))) == ()


@pytest.mark.parametrize("owner", ["ada", "@", "@acme/", "kernels team", "@acme/a/b", "-@-"])
def test_another_form_is_no_owner_and_is_named(owner):
    finding = judged(run_of(kernel(owners=(owner,)), base_kernels={}))[0]

    assert finding.rule == "owner-missing"
    assert owner in finding.sentence


def test_codeowners_will_do_if_it_covers_every_file():
    assert sentences(codeowners("/acme/", "@ada")) == []


@pytest.mark.parametrize("owned", [codeowners(""), codeowners("*", "@ada"), codeowners("/acme/"), Ownership(owners=())])
def test_an_uncovered_file_a_catch_all_and_a_line_without_owner_are_not_enough(owned):
    assert len(sentences(owned)) == 1


def test_a_codeowners_file_that_cannot_be_read_is_said():
    owned = Ownership(owners=(), codeowners="CODEOWNERS", problem="CODEOWNERS:4 is not UTF-8")

    assert "CODEOWNERS:4 is not UTF-8" in sentences(owned)[0]


@pytest.mark.parametrize(
    ("reason", "expires", "says"),
    [
        ("moves to core", "2026-10-07", None),
        ("moves to core", "2026-10-06", "until 2026-10-06 only"),
        ("", "2027-01-01", "without a reason"),
        ("moves to core", "next year", "next year"),
        ("moves to core", "", "without a date"),
    ],
)
def test_unowned_on_purpose_needs_a_reason_and_a_date_ahead(reason, expires, says):
    found = sentences(Ownership(owners=()), unowned_reason=reason, unowned_expires=expires)

    assert [says in s for s in found] == ([True] if says else [])
