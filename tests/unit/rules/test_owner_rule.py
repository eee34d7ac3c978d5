"""Who counts as an owner."""

import json

import pytest

from kgate.load import schemas
from kgate.model import HEAD, Level, Ownership, Place
from kgate.model.owners import FORM
from kgate.rules._owners import lines
from tests.unit.builders import failure, judged, kernel, run_of, with_outcomes

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


@pytest.mark.parametrize("owner", ["@ada", "@acme/kernels", "ada@acme.example", "@a-b/c.d_e", "@octocat_acme"])
def test_user_team_and_mail_are_owners(owner):
    assert judged(run_of(kernel(owners=(owner,)))) == ()


@pytest.mark.parametrize("owner", ["ada", "@", "@acme/", "kernels team", "@acme/a/b", "-@-", "@ada\n", "@" + 40 * "a"])
def test_another_form_is_no_owner_and_is_named(owner):
    finding = judged(run_of(kernel(owners=(owner,)), base_kernels={}))[0]

    assert finding.rule == "owner-missing"
    assert owner in finding.sentence


@pytest.mark.parametrize("pattern", ["*", "/**/*", "**/", "**/**", "*/", "**/*/", "*/**", "/*/", "?*", "*.*", "***"])
def test_a_pattern_that_names_nothing_is_a_catch_all(pattern):
    assert "a catch-all alone" in next(iter(lines(codeowners(pattern, "@ada"), ["acme/gemm.py"]).values()))
    assert len(sentences(codeowners(pattern, "@ada"))) == 1


@pytest.mark.parametrize("pattern", ["*.py", "/acme/**", "a*", "/**/k?rnels/"])
def test_a_pattern_that_names_anything_is_none(pattern):
    assert sentences(codeowners(pattern, "@ada")) == []


@pytest.mark.parametrize("schema", ["manifest", "debt"])
def test_the_schemas_take_the_same_owners(schema):
    assert json.dumps(FORM) in json.dumps(schemas.parsed(schema))


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
        ("moves to core", "2026-10-07", "nobody's on purpose until 2026-10-07: moves to core"),
        ("moves to core", "2026-10-06", "until 2026-10-06 only"),
        ("", "2027-01-01", "without a reason"),
        ("moves to core", "next year", "next year"),
        ("moves to core", "", "without a date"),
    ],
)
def test_unowned_on_purpose_needs_a_reason_and_a_date_ahead(reason, expires, says):
    found = sentences(Ownership(owners=()), unowned_reason=reason, unowned_expires=expires)

    assert [says in s for s in found] == [True]


def test_unowned_on_purpose_warns_and_no_more():
    made = kernel(owners=(), unowned_reason="moves to core", unowned_expires="2026-10-07")

    (finding,) = judged(run_of(made, base_kernels={}, base_ran=False, ownership={}))

    assert (finding.rule, finding.level) == ("owner-missing", Level.WARN)


ENTRY = "acme/gemm.py"


def astray(pattern: str, *owners: str, file: str = ENTRY, **changes: object) -> Ownership:
    rule = (LINE, pattern, owners) if pattern else None
    return Ownership(owners=("@acme/kernels",), files={file: rule}, codeowners=".github/CODEOWNERS", **changes)


@pytest.mark.parametrize(
    "owned", [astray("*", "@everyone"), astray("/acme/", "@writers"), astray("/acme/"), astray("")]
)
def test_an_own_file_for_which_github_asks_nobody_of_the_manifest_is_a_mismatch(owned):
    (finding,) = judged(run_of(ownership={"gemm": owned}, base_ownership={}))

    assert (finding.rule, finding.level) == ("owner-mismatch", Level.WARN)
    assert finding.owners == ("@acme/kernels",)
    assert "1 holds its functions" in finding.sentence


def test_the_line_that_matches_is_told_and_a_catch_all_is_called_one():
    (finding,) = judged(run_of(ownership={"gemm": astray("*", "@everyone")}, base_ownership={}))

    assert finding.evidence == {".github/CODEOWNERS:3": "a catch-all alone, * @everyone: acme/gemm.py"}


def test_a_line_without_effect_that_names_the_owner_is_told_beside_it():
    idle = ((Place(path=".github/CODEOWNERS", line=9), "/amce/ @acme/kernels: matches no file of the repository"),)

    (finding,) = judged(run_of(ownership={"gemm": astray("", without_effect=idle)}, base_ownership={}))

    assert finding.evidence == {
        "no line": "acme/gemm.py",
        ".github/CODEOWNERS:9": "/amce/ @acme/kernels: matches no file of the repository",
    }


def test_a_shared_file_of_others_is_noted_and_no_more():
    (finding,) = judged(run_of(ownership={"gemm": astray("/lib/", "@core", file="lib/tiles.py")}, base_ownership={}))

    assert (finding.rule, finding.level) == ("owner-mismatch", Level.NOTE)


@pytest.mark.parametrize("owned", [astray("/acme/", "@Acme/Kernels", "@ada"), Ownership(owners=("@acme/kernels",))])
def test_an_owner_who_is_asked_and_a_repository_without_codeowners_are_no_mismatch(owned):
    assert judged(run_of(ownership={"gemm": owned}, base_ownership={})) == ()


@pytest.mark.parametrize(
    ("access", "rules"),
    [
        ({}, []),
        ({"@acme/kernels": True}, []),
        ({"@acme/kernels": False}, ["owner-cannot-act"]),
    ],
)
def test_an_owner_without_write_access_is_none_and_one_who_was_not_checked_is_let_be(access, rules):
    owned = Ownership(owners=("@acme/kernels",), access=access)

    assert [f.rule for f in judged(run_of(ownership={"gemm": owned}, base_ownership={}))] == rules


def test_whom_codeowners_asks_is_told_of_a_fault_where_the_manifest_names_nobody():
    run = with_outcomes(run_of(kernel(owners=()), ownership={"gemm": codeowners("/acme/", "@ada")}), (HEAD, failure()))

    assert judged(run)[0].owners == ("@ada",)
