"""What a run holds against base before it passes a case by identity."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from kgate import twins
from kgate.answers import Answers
from kgate.model import BASE, HEAD
from kgate.runner.ledger import Ledger
from kgate.setting import Setting
from tests.unit import ledgers
from tests.unit.test_identity import facts


@pytest.fixture
def setting(tmp_path: Path) -> Iterator[Setting]:
    with Ledger.open(tmp_path / "key.jsonl") as ledger:
        made = ledgers.setting(ledger)
        reviewed = replace(made.manifest, baselines="baselines")
        yield replace(made, base=replace(made.base, folder=tmp_path / "no longer as it was", manifest=reviewed))


def of(setting: Setting, changes: Mapping[str, bool], *, baselines: str = "baselines") -> bool:
    case = ledgers.CASE
    base = replace(setting.base, changes=changes)
    answers = Answers(outcomes={(HEAD, case): facts(), (BASE, case): facts()}, comparisons={})
    claimed = replace(setting.manifest, baselines=baselines)
    return case in twins.of(replace(setting, manifest=claimed, base=base), answers)


def test_what_is_compared_is_how_the_trees_were_before_anything_of_theirs_had_run(setting: Setting) -> None:
    # Neither tree is there to be looked at: a change could have put its file back as base has it.
    assert not of(setting, {"ops/add.py": True})


def test_a_tree_without_a_change_passes(setting: Setting) -> None:
    assert of(setting, {"README.md": True, "baselines/h200.json": False})


@pytest.mark.parametrize("baselines", ["ops", ".", ""])
def test_a_change_cannot_call_the_folder_of_its_kernels_one_of_baselines(setting: Setting, baselines: str) -> None:
    assert not of(setting, {"kgate.yaml": True, "ops/add.py": True, "ops/plans.json": True}, baselines=baselines)


def test_a_tree_that_is_built_is_no_tree_that_git_knows(setting: Setting) -> None:
    base = setting.base.manifest
    assert base is not None
    built = replace(setting, base=replace(setting.base, manifest=replace(base, build="make")))

    assert not of(built, {})
