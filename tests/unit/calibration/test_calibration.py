"""From labelled launches to components and levels; what is printed of them."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kgate.calibration import Calibrated, findings, table
from kgate.model import Decision, LaunchTiming, Level, Standing, Verdict, verdict_of
from kgate.prediction import Foretold
from kgate.replay import Rate
from tests.unit.builders import judged, ratio, run_of, with_latency
from tests.unit.calibration.made import calibration, case
from tests.unit.rules.test_latency_claims import FAILED

GOOD = Foretold(not_green=Rate(hits=0, of=2000), blocked=Rate(hits=2000, of=2000), passed=Rate(hits=0, of=2000))


def labelled(between_starts=0.0, days=2):
    draw = np.random.default_rng(3)
    found = {}
    for day in range(days):
        for build in range(2):
            for start in range(3):
                own = draw.normal(0, between_starts)
                found.update({f"d{day}/{build}/{start}/{n}": own + draw.normal(0, 0.002) for n in range(8)})
    return found


def test_starts_that_differ_are_told_from_launches_and_builds():
    made = findings.one(labelled(0.02), GOOD, True)

    assert made.spreads["start"] == pytest.approx(0.02, rel=0.5)
    assert made.spreads["launch"] == pytest.approx(0.002, rel=0.2)
    assert made.starts_differ is not None
    assert made.starts_differ < 1e-6
    assert (made.launches, made.starts, made.days) == (96, 12, 2)


def test_on_a_cpu_every_launch_is_a_start_so_that_the_two_are_not_told_apart():
    made = findings.one(labelled(days=1), GOOD, False)

    assert (made.starts, made.spreads["start"], made.spreads["day"]) == (48, None, None)


@pytest.mark.parametrize(
    ("launches", "starts", "foretold", "level", "reason"),
    [
        (48, 6, GOOD, Level.FAIL, "clean changes come out green"),
        (15, 6, GOOD, Level.WARN, "15 launches of 6 starts, where 16 of 3 are needed"),
        (48, 2, GOOD, Level.WARN, "48 launches of 2 starts"),
        (48, 6, replace(GOOD, not_green=Rate(hits=9, of=2000)), Level.WARN, "would not come out green in 9 of 2000"),
        (48, 6, replace(GOOD, passed=Rate(hits=20, of=2000)), Level.WARN, "a slowdown of 5 % would pass in 20 of 2000"),
    ],
)
def test_a_case_may_block_only_where_the_promises_hold_for_it(launches, starts, foretold, level, reason):
    found, said = findings.judged(launches, starts, foretold)

    assert found is level
    assert reason in said


@pytest.mark.parametrize(
    ("policy", "level", "stops"),
    [
        (Level.FAIL, Level.WARN, True),
        (Level.WARN, Level.FAIL, True),
        (Level.WARN, Level.WARN, False),
        (Level.NOTE, Level.FAIL, False),
    ],
)
def test_what_can_keep_a_clean_change_from_green_is_the_policys_and_the_files_word(policy, level, stops):
    assert findings.stops(policy, case(level=level)) is stops


def test_a_launch_without_both_arms_or_with_a_time_that_is_none_is_left_out():
    whole = LaunchTiming(launch=0, samples_ns={"head": (105.0,), "base": (100.0,)}, call_ns={}, method="fake")
    one_arm = replace(whole, samples_ns={"head": (1.0,)})
    broken = replace(whole, samples_ns={"head": (float("nan"),), "base": (1.0,)})

    found = findings.by_label({"a/0/0/0": whole, "a/0/0/1": one_arm, "a/0/0/2": broken})

    assert found == {"a/0/0/0": pytest.approx(np.log(1.05))}


def done(**changes):
    return Calibrated(found=calibration(**changes), path=Path("ci/calibration/h200.json"), missing={}, on_gpu=True)


def test_the_text_says_what_differs_what_is_foretold_and_where_it_is_kept():
    shown = table.text(done(cases={"gemm/small": case(), "add/one": case(level=Level.WARN, reason="rough")}))

    assert "zygotes differ in 0 of 2 cases" in shown
    assert "a clean change does not come out green in 0 of 1000 (≤ 0.3 %), all cases together" in shown
    assert "warn: add/one: rough" in shown
    assert "ci/calibration/h200.json: review and commit this file" in shown


def test_zygotes_that_differ_are_named():
    assert "zygotes differ in 1 of 1 case (F test, 1% shared equally): gemm/small" in table.text(
        done(cases={"gemm/small": case(starts_differ=1e-5)})
    )


def test_the_json_is_the_file_and_what_is_missing():
    body = json.loads(table.document(replace(done(), missing={"gemm/big": "out of memory"})))

    assert body["calibration"]["cases"]["gemm/small"]["level"] == "fail"
    assert body["missing"] == {"gemm/big": "out of memory"}


SLOW = ratio(median=1.1, decision=Decision.SLOWER)
WARN = {"slower-than-base": Level.WARN}


@pytest.mark.parametrize(
    ("found", "policy", "verdict"),
    [
        (calibration(), WARN, Verdict.FAIL),
        (calibration(cases={"gemm/small": case(level=Level.WARN)}), WARN, Verdict.WARN),
        (calibration(cases={}), WARN, Verdict.WARN),
        (None, WARN, Verdict.WARN),
        (calibration(), {"slower-than-base": Level.NOTE}, Verdict.PASS),
    ],
)
def test_a_calibrated_case_blocks_where_the_policy_warns_and_nowhere_else(found, policy, verdict):
    run = with_latency(
        run_of(on_gpu=True, standing=Standing(calibration=found)), SLOW, ratio(below="fallback", median=0.5)
    )

    assert verdict_of(judged(run, policy)) is verdict


def test_an_open_question_on_a_calibrated_case_is_no_verdict():
    run = run_of(on_gpu=True, standing=Standing(calibration=calibration()))
    open_ = ratio(median=1.04, decision=Decision.INCONCLUSIVE)

    assert verdict_of(judged(with_latency(run, open_, ratio(below="fallback", median=0.5)), WARN)) is Verdict.NO_VERDICT


@pytest.mark.parametrize(
    ("found", "verdict"), [(calibration(), Verdict.NO_VERDICT), (calibration(cases={}), Verdict.WARN)]
)
def test_controls_that_failed_leave_open_what_a_calibrated_case_would_have_blocked(found, verdict):
    run = run_of(on_gpu=True, standing=Standing(calibration=found), instrument=FAILED)
    warn = dict.fromkeys(("slower-than-base", "slower-than-fallback", "slower-than-baseline"), Level.WARN)

    assert verdict_of(judged(with_latency(run, SLOW, ratio(below="fallback", median=0.5)), warn)) is verdict
