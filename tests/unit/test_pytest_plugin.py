"""Whose item says which finding, and what is never green. Nothing is run here."""

import ast
from dataclasses import replace
from pathlib import Path

import pytest

from kgate.model import HEAD, Decision, Level, Report
from kgate.model.declared import RULE_NAMES
from kgate.pytest_plugin.share import ASPECT_OF, ASPECTS, OWNERS, Share, share
from tests.unit import builders

ROOT = Path(__file__).resolve().parents[2]
BLOCK = {"slower-than-base": Level.FAIL}


def shares(report: Report, kernel: str = "gemm", workload: str = "small") -> dict[str, Share]:
    return {aspect: share(report, kernel, workload, aspect) for aspect in ASPECTS}


def rules(found: Share) -> tuple[set[str], set[str]]:
    return {f.rule for f in found.failing}, {f.rule for f in found.undecided}


def test_pytest_imports_nothing_of_kgates_until_it_is_asked_to():
    tree = ast.parse((ROOT / "kgate" / "pytest_plugin" / "__init__.py").read_text())

    at_top = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]

    assert [ast.unparse(node) for node in at_top] == ["import os", "import pytest"]


def test_every_rule_that_is_given_an_aspect_is_a_rule():
    assert set(ASPECT_OF) <= set(RULE_NAMES)


def test_a_green_case_is_green_in_each_of_its_items():
    found = shares(builders.report_of(builders.run_of()))

    assert found == dict.fromkeys(ASPECTS, Share())


def test_a_wrong_result_fails_its_own_item_and_leaves_latency_unknown_even_alone():
    run = builders.with_comparisons(builders.run_of(), (HEAD, builders.wrong()))

    found = shares(builders.report_of(replace(run, latency={})))

    assert rules(found["correctness"]) == ({"wrong-result"}, set())
    assert rules(found["fallback"]) == (set(), set())
    assert found["latency"].unknown.startswith("not timed: wrong-result: ")


def test_a_question_left_open_that_blocks_is_no_failure_and_no_pass():
    ratio = builders.ratio(median=1.04, decision=Decision.INCONCLUSIVE)
    run = builders.with_latency(builders.run_of(), ratio, builders.ratio(below="fallback", median=0.5))

    noted = shares(builders.report_of(run))["latency"]
    blocking = shares(builders.report_of(run, BLOCK))["latency"]

    assert [f.rule for f in noted.notes] == ["slower-than-base"]
    assert rules(blocking) == (set(), {"slower-than-base"})


def test_what_is_said_of_a_whole_kernel_is_said_by_each_of_its_cases():
    bare = builders.kernel(workloads=("small", "large"), switch=None)
    report = builders.report_of(builders.run_of(bare, base_kernels={}, base_ran=False))

    for workload in ("small", "large"):
        assert rules(shares(report, workload=workload)["fallback"]) == ({"fallback-untested"}, set())


def test_owners_are_an_item_of_the_kernels():
    nobody = builders.kernel(owners=())
    run = builders.run_of(nobody)

    report = builders.report_of(replace(run, base_ownership={}, base_kernels={}, base_ran=False))

    assert rules(share(report, "gemm", "", OWNERS)) == ({"owner-missing"}, set())
    assert rules(shares(report)["correctness"]) == (set(), set())


def test_a_case_of_another_device_is_left_out_and_a_run_of_nothing_is_no_pass():
    report = builders.report_of(builders.run_of())
    nothing = builders.report_of(builders.run_of(builders.kernel(workloads=())))

    assert shares(report, workload="huge")["latency"].left_out == "gemm/huge is not meant for cpu"
    for aspect in ASPECTS:
        assert rules(share(nothing, "gemm", "huge", aspect)) == (set(), {"not-measured"})


@pytest.mark.parametrize("checked_only", [True, False])
def test_a_time_that_nobody_misses_is_left_out_and_one_that_is_missing_blocks(checked_only):
    run = replace(builders.run_of(), latency={})
    report = builders.report_of(replace(run, checked_only=frozenset(run.cases if checked_only else ())))

    found = shares(report)["latency"]

    assert found.left_out == ("gemm/small is checked, and never timed" if checked_only else "")
    assert bool(found.unknown) is not checked_only


def test_what_base_shows_as_well_is_a_warning():
    run = builders.with_outcomes(builders.run_of(), (HEAD, builders.failure()), (builders.BASE, builders.failure()))
    sound = builders.run_of(builders.kernel(), builders.kernel("other"))
    compared = {k: c for k, c in sound.comparisons.items() if k in run.comparisons or k[1].kernel == "other"}
    timed = {c: found for c, found in sound.latency.items() if c.kernel == "other"}
    both = replace(sound, outcomes={**sound.outcomes, **run.outcomes}, comparisons=compared, latency=timed)

    found = shares(builders.report_of(both))

    assert [f.rule for f in found["correctness"].warning] == ["does-not-run"]
    assert found["latency"].left_out.startswith("gemm/small was not timed: does-not-run: ")
