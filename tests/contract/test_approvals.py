"""Reviews of owners, and what of a change they let through, in repositories as GitHub leaves them."""

import json
from pathlib import Path

import pytest

from kgate.model import Verdict
from tests.contract.joined import CODE, delivered, join, rules_of, text
from tests.contract.repository import commit, git

pytestmark = pytest.mark.real


def loosened(root: Path) -> tuple[str, str]:
    """A change that lowers a rule, as it was reviewed, and as it is now after a push that touches nothing of it."""
    (root / "acme").mkdir()
    (root / "acme" / "ops.py").write_text(CODE)
    commit(root, "kgate.yaml", text())
    git(root, "switch", "--quiet", "--create=change")
    reviewed = commit(root, "kgate.yaml", text("note"))
    return reviewed, commit(root, "README.md")


def reviews(folder: Path, reviewed: str, by: str = "@acme-lead", author: str = "@author") -> Path:
    voice = {"by": by, "commit": reviewed, "teams": ["@acme/kernels"]}
    (folder / "reviews.json").write_text(json.dumps({"authors": [author], "voices": [voice], "remarks": []}))
    return folder / "reviews.json"


def test_an_approval_lets_what_it_is_of_through_also_after_other_commits_and_in_a_queue(
    root: Path, tmp_path: Path
) -> None:
    reviewed, _ = loosened(root)
    git(root, "switch", "--quiet", "main")
    git(root, "merge", "--quiet", "--squash", "change")
    git(root, "commit", "--quiet", "--message=queued")
    folder = delivered(root, tmp_path / "results")

    blocked = join(root, folder)
    approved = join(root, folder, reviews=reviews(tmp_path, reviewed))

    assert rules_of(blocked) == {"gate-loosened"}
    assert (rules_of(approved), approved.verdict) == (set(), Verdict.WARN)
    (warned,) = [f for f in approved.legs[0].reports[0].findings if f.rule == "gate-loosened"]
    assert warned.sentence.endswith("; approved by @acme-lead")


@pytest.mark.nightly
def test_a_push_that_touches_what_was_approved_ends_the_approval(root: Path, tmp_path: Path) -> None:
    reviewed, _ = loosened(root)
    commit(root, "kgate.yaml", text("off"))
    base = git(root, "rev-parse", "main")

    found = join(root, delivered(root, tmp_path / "results", base=base), base=base, reviews=reviews(tmp_path, reviewed))

    assert rules_of(found) == {"gate-loosened"}


@pytest.mark.nightly
def test_an_author_approves_nothing(root: Path, tmp_path: Path) -> None:
    reviewed, _ = loosened(root)
    base = git(root, "rev-parse", "main")
    folder = delivered(root, tmp_path / "results", base=base)

    found = join(root, folder, base=base, reviews=reviews(tmp_path, reviewed, by="@author"))

    assert rules_of(found) == {"gate-loosened"}
