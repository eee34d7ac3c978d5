"""What is said of a claim that was confirmed or was not, of a kernel as a whole, of a shift, of unsteady paths."""

from dataclasses import replace

import pytest

from kgate.model import (
    HEAD,
    Confirmation,
    Control,
    Decision,
    Instrument,
    Level,
    Ratio,
    Run,
    Scope,
    Shift,
    Verdict,
    verdict_of,
)
from tests.unit.builders import OPEN, judged, kernel, ratio, run_of, with_comparisons, with_latency, wrong

PAYS = ratio(below="fallback", median=0.5)


def test_what_bore_a_slowdown_out_stands_beside_it():
    shown = Confirmation(holds=True, median=1.094, launches=8)

    findings = judged(
        with_latency(run_of(on_gpu=True), replace(ratio(median=1.1, decision=Decision.SLOWER), confirmation=shown))
    )

    assert findings[0].sentence.endswith("decided against +3 %, confirmed by +9.4 % in 8 launches of fresh processes")


def test_without_a_valid_launch_there_is_no_verdict_and_no_ratio_to_believe():
    none = replace(ratio(median=1.5, decision=OPEN), launches=0, throttled=8, reason="all 8 launches were throttled")

    findings = judged(with_latency(run_of(on_gpu=True), none, PAYS))

    assert verdict_of(findings) is Verdict.NO_VERDICT
    assert findings[0].sentence.endswith("is inconclusive without a valid launch: all 8 launches were throttled")
    assert findings[0].evidence["throttled"] == "8 launches, left out"
    assert "50" not in findings[0].sentence


def two_workloads(*ratios: Ratio, **changes: object) -> Run:
    return replace(with_latency(run_of(kernel(workloads=("a", "b")), on_gpu=True), *ratios), **changes)


def test_a_kernel_that_is_slower_only_as_the_mean_of_its_workloads_is_one_finding_about_the_kernel():
    run = two_workloads(ratio(median=1.04), PAYS, paces={"gemm": (ratio(median=1.04, decision=Decision.SLOWER),)})

    (finding,) = judged(run)

    assert (finding.rule, finding.scope, finding.name) == ("slower-than-base", Scope.KERNEL, "gemm")
    assert "slower than at base over its 2 workloads together" in finding.sentence


def test_a_kernel_is_not_blamed_a_second_time_for_its_workloads():
    slow = ratio(median=1.1, decision=Decision.SLOWER)

    findings = judged(two_workloads(slow, PAYS, paces={"gemm": (slow,)}))

    assert [f.scope for f in findings] == [Scope.CASE, Scope.CASE]


def test_cases_that_moved_together_are_one_open_question_of_the_run_and_blame_nobody():
    moved = replace(ratio(median=1.06, decision=OPEN), shared=True)
    shift = Shift(cases=2, of=2, median=1.06, confirmed=False)

    findings = judged(two_workloads(moved, PAYS, shift=shift))

    assert [(f.rule, f.scope, f.undecided) for f in findings] == [("slower-than-base", Scope.RUN, True)]
    assert "2 of 2 cases moved together by about +6.0 % against base" in findings[0].sentence
    assert verdict_of(findings) is Verdict.NO_VERDICT


def test_a_shift_whose_cases_were_decided_in_the_end_is_nothing_to_report():
    assert judged(two_workloads(ratio(), PAYS, shift=Shift(cases=2, of=2, median=1.06, confirmed=False))) == ()


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"slow_launches": 3}, "far slower in 3 of 8 launches than in the others"),
        ({"tail": 1.4}, "slow in some calls: its 90th percentile is +40.0 % of that of base"),
    ],
)
def test_a_path_that_is_slow_now_and_then_is_a_warning(changes, what):
    findings = judged(with_latency(run_of(on_gpu=True), replace(ratio(), **changes), PAYS))

    assert [(f.rule, f.level) for f in findings] == [("unsteady", Level.WARN)]
    assert what in findings[0].sentence
    assert verdict_of(findings) is Verdict.WARN


FAILED = Instrument(
    controls=(Control(name="5 µs", bias=1.03, dose=1.05, launches=8, dosed=8, fault="5 µs: off"),),
    given=1.05,
    voids=True,
)


def test_where_the_controls_failed_no_time_blames_anybody_and_the_question_stays_open():
    slow = ratio(median=1.1, decision=Decision.SLOWER)
    run = replace(with_latency(run_of(on_gpu=True), slow, PAYS), instrument=FAILED)

    findings = judged(run)

    assert [f.rule for f in findings] == ["instrument-failed"]
    assert verdict_of(findings) is Verdict.NO_VERDICT


def test_where_the_controls_failed_a_wrong_result_is_wrong_all_the_same():
    run = with_comparisons(replace(run_of(on_gpu=True), instrument=FAILED), (HEAD, wrong()))

    assert verdict_of(judged(run)) is Verdict.FAIL


def test_controls_that_failed_where_latency_only_warns_are_a_warning():
    warn = dict.fromkeys(("slower-than-base", "slower-than-fallback", "slower-than-baseline"), Level.WARN)

    findings = judged(replace(run_of(on_gpu=True), instrument=FAILED), warn)

    assert [(f.rule, f.level) for f in findings] == [("instrument-failed", Level.WARN)]
