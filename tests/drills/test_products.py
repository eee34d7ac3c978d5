"""Specimen products under the conditions that break them, and honest ones under all; a part of them by day."""

import os
from pathlib import Path

import pytest

from kgate.worker.conditions import CONDITIONS
from tests.contract.conftest import worker_python as worker_python
from tests.drills.matrix import runs_here, wrong
from tests.drills.products import drilled, specimens, stocked

pytestmark = pytest.mark.real
ALL = specimens()
# Three that fail and two that do not; those with a backward, and every condition, at night.
BY_DAY = ("guarded", "catches_missing_alone", "latches", "latches_shape", "never_taken")


def test_a_part_of_the_products_is_told_what_it_must_be(worker_python: str, tmp_path: Path) -> None:
    chosen = specimens(BY_DAY)

    ended = drilled(stocked(tmp_path / "products", worker_python, chosen), "cpu")

    assert ended.report, ended.out + ended.err
    assert [line for member in chosen for line in wrong(ended, member, "cpu")] == []


@pytest.mark.nightly
@pytest.mark.skipif("KGATE_NIGHTLY" not in os.environ, reason="not run: `make drill` runs the same")
def test_every_product_is_told_what_it_must_be(worker_python: str, tmp_path: Path) -> None:
    chosen = [member for member in ALL if runs_here(member, worker_python)]

    ended = drilled(stocked(tmp_path / "products", worker_python, chosen), "cpu")

    assert ended.report, ended.out + ended.err
    assert [line for member in chosen for line in wrong(ended, member, "cpu")] == []


@pytest.mark.nightly
@pytest.mark.skipif("KGATE_NIGHTLY" not in os.environ, reason="not run: takes a run of its own")
@pytest.mark.parametrize("member", [m for m in ALL if m.alone], ids=lambda m: m.name)
def test_a_run_in_which_nothing_ran_is_no_success(member, worker_python: str, tmp_path: Path) -> None:
    ended = drilled(stocked(tmp_path / "products", worker_python, [member]), "cpu")

    assert ended.code == 3, ended.out + ended.err
    assert [f["rule"] for f in ended.report["findings"]] == [member.alone]


def test_every_condition_has_a_product_that_fails_it_and_one_that_does_not() -> None:
    told = {finding for member in ALL for finding in member.says | member.says_on_gpu}
    failing = {c for c in CONDITIONS if any(f"({c})" in f and not f.startswith("fallback-untested") for f in told)}
    switched = {member.name for member in ALL if "fallback-wrong" in member.says}

    # What a package does by being there is wrong with the switch on and off, and without any condition.
    assert failing == set(CONDITIONS) - {"package-unused"}
    assert {"probe_patches", "layout_kept"} <= switched
    assert {"guarded", "tilelang_guarded", "gpu_guarded"} <= {m.name for m in ALL if not m.says | m.says_on_gpu}


def test_what_a_docstring_promises_is_read_to_the_end() -> None:
    (member,) = specimens(["catches_missing_alone"])

    conditions = ("package-import-error", "package-os-error", "package-raises")
    assert member.says == {f"fallback-raises ({name})" for name in conditions}
