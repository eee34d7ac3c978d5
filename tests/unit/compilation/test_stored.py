"""When an earlier compilation is believed, and when not."""

import hashlib
import os
from dataclasses import replace
from pathlib import Path

import pytest

from kgate.compilation import surroundings
from kgate.compilation.stored import Records
from kgate.compilation.work import Item
from kgate.errors import HostError
from kgate.model import Measurement, Outcome, Tree
from kgate.protocol import Identity
from kgate.runner.place import Workplace
from tests.unit.compilation.samples import item, made, refused, variant

SOURCE = "def fused(x): ...\n"


@pytest.fixture(name="tree")
def _tree(tmp_path: Path) -> Path:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "gemm.py").write_text(SOURCE)
    return tmp_path / "tree"


def opened(tree: Path, surroundings: object = ("triton 3.6",)) -> Records:
    return Records(folder=tree.parent, tree=tree, surroundings=surroundings)


FILES = {"gemm.py": hashlib.sha256(SOURCE.encode()).hexdigest()}


def compiled() -> Measurement:
    return made(variant(), files=FILES)


def known(records: Records, *items: Item) -> list[str]:
    return [case.name for case in records.recalled(items)]


def test_what_was_compiled_is_known_again_with_all_its_numbers(tree: Path) -> None:
    opened(tree).keep(item(), compiled())

    found = opened(tree).recalled([item()])

    assert found == {item().case: compiled()}


def test_what_a_compiler_refused_is_known_again_until_a_file_changes(tree: Path) -> None:
    refusal = refused("ptxas error   : no", files=FILES)
    opened(tree).keep(item(), refusal)

    found = opened(tree).recalled([item()])
    (tree / "gemm.py").write_text("def fused(x): return x\n")

    assert found == {item().case: refusal}
    assert known(opened(tree), item()) == []


@pytest.mark.parametrize("change", ["edited", "gone", "a pipe"])
def test_a_file_that_it_rests_on_has_changed(tree: Path, change: str) -> None:
    opened(tree).keep(item(), compiled())
    (tree / "gemm.py").unlink()
    if change == "edited":
        (tree / "gemm.py").write_text(SOURCE + "# edited\n")
    if change == "a pipe":
        os.mkfifo(tree / "gemm.py")  # whoever opens it to read waits for a writer

    assert known(opened(tree), item()) == []


def test_another_compiler_makes_it_unknown(tree: Path) -> None:
    opened(tree).keep(item(), compiled())

    assert known(opened(tree, ("triton 3.7",)), item()) == []


def test_another_entry_in_the_manifest_makes_it_unknown(tree: Path) -> None:
    opened(tree).keep(item(), compiled())
    changed = item()
    changed = replace(changed, job=replace(changed.job, symbols={"M": 2}))

    assert known(opened(tree), changed) == []


def test_another_architecture_and_another_workload_are_not_it(tree: Path) -> None:
    opened(tree).keep(item(), compiled())

    assert known(opened(tree), item(arch="sm_80"), item("large")) == []


@pytest.mark.parametrize(
    "outcome",
    [
        refused("ptxas error   : no"),
        refused("no nvcc", "unavailable", "environment", files=FILES),
        refused("ValueError: no", "raised", "run", files=FILES),
        refused("gave no answer", "hung", files=FILES),
        made(variant()),
    ],
)
def test_another_failure_or_an_answer_that_rests_on_no_file_is_not_kept_and_what_was_there_is_gone(
    tree: Path, outcome: Outcome
) -> None:
    records = opened(tree)
    records.keep(item(), compiled())

    records.keep(item(), outcome)

    assert known(opened(tree), item()) == []


def test_an_extension_is_not_kept_since_its_sources_are_no_modules(tree: Path) -> None:
    extension = item(dsl="cuda")
    opened(tree).keep(extension, compiled())

    assert known(opened(tree), extension) == []


@pytest.mark.parametrize("text", ["", "{", "[]", '{"key": 1}'])
def test_a_record_that_is_none_is_not_believed(tree: Path, text: str) -> None:
    records = opened(tree)
    records.path(item()).write_text(text)

    assert known(records, item()) == []


def test_a_record_whose_outcome_another_version_wrote_is_not_believed(tree: Path) -> None:
    records = opened(tree)
    records.keep(item(), compiled())
    path = records.path(item())
    path.write_text(path.read_text().replace('"rungs_ns"', '"rungs"'))

    assert known(opened(tree), item()) == []


def machine(tree: Path, **information: str) -> tuple[object, ...]:
    identity = Identity(must_match={"triton": "3.6"}, may_drift={}, information=information, adapters={}, devices={})
    workplace = Workplace(python={Tree.HEAD: "python3"}, trees={Tree.HEAD: tree}, folder=tree, device="cuda:0")
    return surroundings(identity, workplace)


def test_another_nvcc_makes_all_anew_and_another_host_nothing(tree: Path) -> None:
    before = machine(tree, python="3.12.1", nvcc="13.0.88", host="runner-1")

    assert machine(tree, python="3.12.1", nvcc="13.0.88", host="runner-2") == before
    assert machine(tree, python="3.12.1", nvcc="13.1.20", host="runner-1") != before
    assert machine(tree, python="3.12.1", host="runner-1") != before


@pytest.mark.parametrize("outcome", [compiled(), refused("no nvcc", "unavailable", "environment")])
def test_a_record_that_cannot_be_written_or_taken_away_is_one_sentence(tree: Path, outcome: Outcome) -> None:
    records = opened(tree)
    records.path(item()).mkdir()

    with pytest.raises(HostError, match="cannot be written"):
        records.keep(item(), outcome)
