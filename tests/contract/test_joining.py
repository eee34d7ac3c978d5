"""`kgate report --base` in repositories of two commits, with results as honest and dishonest runners deliver them."""

import json
from pathlib import Path
from typing import Any

import pytest

from kgate import joining
from kgate.errors import ManifestError, UsageError
from kgate.load import exported, tree
from kgate.model import Verdict
from tests.contract.check.shop import nightly_but
from tests.contract.joined import CASE, CODE, delivered, full, join, rules_of, text, trouble_of
from tests.contract.repository import commit, git
from tests.unit import builders, ledgers

pytestmark = pytest.mark.real


@pytest.fixture
def changed(root: Path) -> Path:
    """Base, and a change that edits nothing that judges."""
    (root / "acme").mkdir()
    (root / "acme" / "ops.py").write_text(CODE)
    commit(root, "kgate.yaml", text())
    commit(root, "acme/ops.py", CODE + "# faster\n")
    return root


def test_a_leg_that_was_measured_is_judged_and_needs_nothing_of_the_work_tree(changed: Path, tmp_path: Path) -> None:
    delivered(changed, tmp_path / "legs" / "kgate-h200-1of1-a1")
    (changed / "kgate.yaml").unlink()

    found = join(changed, tmp_path / "legs")

    assert (trouble_of(found), rules_of(found)) == ("", set())
    assert found.verdict is Verdict.WARN  # there is no baseline
    assert found.legs[0].reports[0].run.latency[CASE].ratio("head", "base") is not None
    assert json.loads(joining.texts_of(found)["report.json"])["device"] == "h200"


def test_what_the_change_sets_for_itself_is_not_what_it_is_judged_by(changed: Path, tmp_path: Path) -> None:
    commit(changed, "kgate.yaml", text("note"))
    slow = delivered(changed, tmp_path / "kgate-h200-1of1-a1", slower=1.06, launches=ledgers.confirmed())

    found = join(changed, slow)

    assert found.verdict is Verdict.FAIL
    assert rules_of(found) == {"slower-than-base", "gate-loosened"}


def test_a_comparison_that_says_it_holds_is_decided_by_its_metrics(changed: Path, tmp_path: Path) -> None:
    forged = builders.right(metrics={**full(), "row_error": builders.metric("row_error", 3.5)})
    assert forged[0].holds

    found = join(changed, delivered(changed, tmp_path / "results", wrong=forged))

    assert (found.verdict, rules_of(found)) == (Verdict.FAIL, {"wrong-result"})


@pytest.mark.nightly
def test_a_comparison_without_metrics_proves_nothing(changed: Path, tmp_path: Path) -> None:
    found = join(changed, delivered(changed, tmp_path / "results", wrong=builders.right(metrics={})))

    assert found.verdict is Verdict.NO_VERDICT
    assert "not-measured" in rules_of(found)


def test_cases_that_are_said_to_run_bases_code_are_timed_all_the_same(changed: Path, tmp_path: Path) -> None:
    slow = delivered(changed, tmp_path / "results", slower=1.06, launches=ledgers.confirmed())
    with (slow / "ledger.jsonl").open("a") as file:
        file.write(json.dumps({"kind": "identity", "name": "cases", "value": [CASE.name]}) + "\n")

    assert rules_of(join(changed, slow)) == {"slower-than-base"}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"head": "d" * 40}, "is stale: of head ddddddddd"),
        pytest.param({"base": "d" * 40}, "is stale: of base ddddddddd", marks=pytest.mark.nightly),
        pytest.param({"dirty": True}, "is of a work tree with changes", marks=pytest.mark.nightly),
        ({"name": "../../x"}, "is of the device ../../x, not of h200"),
        pytest.param({"arch": "sm_90; x"}, "is of the device h200", marks=pytest.mark.nightly),
    ],
)
def test_results_of_something_else_are_refused(changed: Path, tmp_path: Path, changes: Any, said: str) -> None:
    found = join(changed, delivered(changed, tmp_path / "results", **changes))

    assert found.verdict is Verdict.NO_VERDICT
    assert said in trouble_of(found)


def test_a_leg_that_base_expects_and_nobody_delivered_leaves_no_verdict(root: Path, tmp_path: Path) -> None:
    commit(root, "acme/ops.py", CODE)
    commit(root, "kgate.yaml", text(gpus="{h200: required, l4: required, b200: {probation: 2999-01-31}}"))
    commit(root, "kgate.yaml", text(gpus="{h200: required, a100: required}"))

    found = join(root, delivered(root, tmp_path / "legs" / "kgate-h200-1of1-a1").parent)

    by_name = {judged.leg.name: judged for judged in found.legs}
    assert {name: judged.verdict.value for name, judged in by_name.items()} == {
        "h200-1of1": "fail",  # of gate-loosened: two GPUs are gone
        "l4-1of1": "no-verdict",
        "b200-1of1": "warn",
        "a100-1of1": "warn",
    }
    assert by_name["a100-1of1"].leg.why == "base's manifest does not name it"


def test_attempts_of_one_run_are_pooled(changed: Path, tmp_path: Path) -> None:
    for number in (1, 2):
        delivered(changed, tmp_path / "legs" / f"kgate-h200-1of1-a{number}")
    second = tmp_path / "legs" / "kgate-h200-1of1-a2" / "ledger.jsonl"
    second.write_text(second.read_text().replace("T08:00:00.5", "T09:00:00.5"))

    (report,) = join(changed, tmp_path / "legs").legs[0].reports

    assert (report.attempts, len(report.run.latency[CASE].launches)) == (2, 16)


@pytest.mark.parametrize("kind", nightly_but(("premises", "outcome", "comparison", "launch", "attempt"), ("launch",)))
def test_a_ledger_of_nonsense_costs_its_leg_and_nothing_else(changed: Path, tmp_path: Path, kind: str) -> None:
    folder = delivered(changed, tmp_path / "results")
    lines = [json.loads(line) for line in (folder / "ledger.jsonl").read_text().splitlines()]
    broken = [{**line, "value": {"a": [1, None]}} if line["kind"] == kind else line for line in lines]
    (folder / "ledger.jsonl").write_text("".join(json.dumps(line) + "\n" for line in broken))

    found = join(changed, folder)

    assert found.verdict is Verdict.NO_VERDICT
    assert "cannot be judged" in trouble_of(found)


def test_a_manifest_that_is_a_link_at_head_is_no_manifest(changed: Path, tmp_path: Path) -> None:
    (changed / "kgate.yaml").unlink()
    (changed / "kgate.yaml").symlink_to("/etc/hostname")
    git(changed, "add", "--all")
    git(changed, "commit", "--quiet", "--message=link")

    with pytest.raises(ManifestError, match=r"kgate\.yaml.*not a mapping"):
        join(changed, tmp_path)


@pytest.mark.nightly
def test_a_commit_that_is_not_here_is_said(changed: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--head v9: no such commit"):
        join(changed, tmp_path, head="v9")
    with pytest.raises(UsageError, match=r"--base v9: no commit v9"):
        join(changed, tmp_path, base="v9")


def test_a_commit_is_written_without_links_filters_and_hooks(root: Path, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    git(root, "config", "--global", "filter.evil.smudge", f"touch {mark}; cat")
    (root / "link").symlink_to("/etc/passwd")
    (root / ".gitattributes").write_text("*.txt filter=evil\n")
    done = commit(root, "a/b.txt", "text\n")

    made = exported.export(root, done, tmp_path / "made")

    assert not mark.exists()
    assert (made / "a" / "b.txt").read_text() == "text\n"
    assert not (made / "link").is_symlink()
    assert (made / "link").read_text() == "/etc/passwd"
    assert tree.files(made) == (".gitattributes", "a/b.txt", "link")
    assert tree.head(made) == tree.Head(commit=done, dirty=False, tree=tree.tree_of(root, done))
    assert not (made / ".git" / "hooks").exists()
