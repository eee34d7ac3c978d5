"""The four conditions, the two axes and the ceiling, each from values by hand."""

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from kgate.evidence import Decided, ceiling, pace_of, table
from kgate.evidence.conditions import Known, State, conditions
from kgate.evidence.pace import Pace, of_baseline, of_report
from kgate.evidence.recommendation import Advice, recommendation
from kgate.evidence.usage import Group, Shapes, Usage
from kgate.load import schemas
from kgate.model import HEAD, SWITCH_OFF
from kgate.reports import document
from tests.unit.builders import (
    baseline,
    kernel,
    ratio,
    report_of,
    run_of,
    stored_case,
    with_latency,
    with_outcomes,
    workload,
)

FASTER = Pace(ratio=0.5, low=0.49, high=0.51, source="measured 2026-10-07 on h200", on_gpu=True)


def usage(share: float, *, few: float = 1.0, **changes: Any) -> Usage:
    used = round(share * 1_000_000)
    group = (Group(name="aten::addmm", calls=4, ns=used),)
    made = Usage(
        on_device=True,
        whole_ns=1_000_000,
        used_ns=used,
        calls=4,
        by_operator=group,
        by_shape=group,
        by_module=(),
        by_phase=(),
        phases_by="",
        shapes=Shapes(distinct=40, few_ns=round(few * used), unknown_ns=0),
        elapsed_ns=1_000_000,
        busy_ns=1_000_000,
        used_busy_ns=used,
    )
    return replace(made, **changes)


def known(**changes: Any) -> Known:
    """A kernel with all evidence there is."""
    made = Known(
        kernel=kernel(production_operator="torch.addmm"),
        usage=usage(0.25),
        profile="trace.json",
        patterns=("aten::addmm",),
        pace=FASTER,
        report=document.document(report_of(run_of(kernel(production_operator="torch.addmm")))),
    )
    return replace(made, **changes)


def states(found: Known) -> list[State]:
    return [condition.state for condition in conditions(found)]


@pytest.mark.parametrize(
    ("share", "few", "advice"),
    [
        (0.05, 0.5, Advice.STAY),
        (0.05, 0.95, Advice.NOTE),
        (0.25, 0.5, Advice.BATCH),
        (0.25, 0.95, Advice.DEEP),
    ],
)
def test_the_advice_is_by_how_hot_and_how_stable(share: float, few: float, advice: Advice) -> None:
    said = recommendation(known(usage=usage(share, few=few)))

    assert said.advice is advice


def test_a_custom_path_that_is_not_shown_to_be_faster_is_to_be_removed_however_hot_it_is() -> None:
    said = recommendation(
        known(pace=Pace(ratio=0.98, low=0.95, high=1.01, source="measured today on h200", on_gpu=True))
    )

    assert said.advice is Advice.REMOVE
    assert "-2.0 % (95 %: -5.0 … +1.0 %) against the fallback, measured today on h200" in said.why


def test_without_a_profile_or_without_shapes_nothing_is_recommended() -> None:
    assert recommendation(known(usage=None)).advice is Advice.UNKNOWN
    assert recommendation(known(usage=usage(0.25, shapes=None))).advice is Advice.UNKNOWN


def test_a_device_that_waits_half_the_time_makes_an_operator_half_as_hot() -> None:
    said = conditions(known(usage=usage(0.5, busy_ns=500_000, used_busy_ns=250_000)))[0]

    assert said.found.startswith("50.0 % of GPU time in 4 calls")
    assert said.found.endswith("the whole is 1.33× as fast")


def test_an_operator_beside_which_others_run_is_as_hot_as_the_time_in_which_it_ran() -> None:
    said = conditions(known(usage=usage(0.25, used_busy_ns=500_000)))[0]

    assert said.found.startswith("25.0 % of GPU time in 4 calls")
    assert said.found.endswith("the whole is 2.00× as fast")


def test_a_pace_of_a_cpu_removes_nothing_that_a_gpu_runs() -> None:
    slow = Pace(ratio=1.5, low=1.4, high=1.6, source="measured today on cpu", on_gpu=False)

    found = known(pace=slow)

    assert recommendation(found).advice is Advice.DEEP
    assert conditions(found)[1].state is State.MISSING
    assert "run `kgate check` on a GPU" in conditions(found)[1].todo
    assert recommendation(known(pace=slow, usage=usage(0.25, on_device=False))).advice is Advice.REMOVE


def test_a_stored_pace_of_a_gpu_comes_before_the_last_run_on_a_cpu() -> None:
    laptop = Pace(ratio=1.5, low=1.4, high=1.6, source="measured today on cpu", on_gpu=False)

    assert pace_of(usage(0.25), laptop, FASTER) is FASTER
    assert pace_of(usage(0.25), laptop, None) is laptop
    assert pace_of(usage(0.25, on_device=False), laptop, FASTER) is laptop
    assert pace_of(None, None, FASTER) is FASTER


@pytest.mark.parametrize(("few_ns", "stable"), [(230_000, True), (200_000, None), (100_000, None), (90_000, False)])
def test_calls_without_shapes_leave_open_what_they_could_turn(few_ns: int, stable: bool | None) -> None:
    shapes = Shapes(distinct=40, few_ns=few_ns, unknown_ns=125_000)

    said = recommendation(known(usage=usage(0.25, shapes=shapes)))

    assert said.stable is stable
    assert ("no shapes of calls that take 50.0 %" in said.why) is (stable is None)


def test_all_four_conditions_can_be_shown() -> None:
    assert states(known()) == [State.SHOWN] * 4


def test_what_is_missing_says_what_to_do() -> None:
    bare = Known(kernel=kernel(workloads=()))

    said = conditions(bare)

    assert states(bare) == [State.MISSING] * 4
    assert all(condition.todo for condition in said)


def test_a_workload_of_a_test_is_not_real_and_one_of_weight_0_need_not_be() -> None:
    tests = kernel(workloads=()), (workload("a", source="test: a tail"), workload("b", weight=0, source=""))
    made_up = replace(tests[0], workloads=tests[1], production_operator="torch.add")
    mixed = replace(made_up, workloads=(workload("real", weight=3, source="trace 2026-10"), *made_up.workloads))

    assert states(known(kernel=made_up))[2] is State.MISSING
    assert states(known(kernel=mixed))[2] is State.SHOWN


def test_a_drill_that_did_not_answer_shows_no_way_out() -> None:
    body = document.document(report_of(with_outcomes(run_of(), (SWITCH_OFF, None))))

    assert states(known(report=body))[3] is not State.SHOWN


def test_the_pace_is_the_report_s_and_else_the_baseline_s() -> None:
    body = document.document(report_of(with_latency(run_of(), ratio(HEAD.name, "fallback", 0.8))))
    stored = baseline({"gemm/small": stored_case(10_000.0)})

    of_run, kept = of_report(body, "gemm"), of_baseline(stored, kernel())

    assert of_run is not None
    assert (of_run.ratio, of_run.faster, of_run.source) == (0.8, True, "measured 2026-10-07 on cpu")
    assert kept is not None
    assert (kept.ratio, kept.faster) == (pytest.approx(0.5), True)
    assert of_report(body, "other") is None


def test_a_stored_pace_within_the_margin_is_not_faster() -> None:
    assert not Pace(ratio=0.98, low=None, high=None, source="baseline", on_gpu=True).faster
    assert Pace(ratio=0.96, low=None, high=None, source="baseline", on_gpu=True).faster


def test_the_ceiling_is_hand_arithmetic() -> None:
    assert ceiling.gain(0.2) == pytest.approx(1.25)
    assert ceiling.gain(0.2, 2) == pytest.approx(1 / 0.9)
    assert ceiling.gain(0.0) == 1.0
    assert ceiling.gain(1.0) == math.inf


@pytest.mark.parametrize("found", [known(), known(usage=None, pace=None), known(usage=usage(1.0))])
def test_what_programs_read_holds_against_its_schema(found: Known) -> None:
    decided = Decided(known=found, conditions=conditions(found), recommendation=recommendation(found))

    body = json.loads(table.document(decided))

    Draft202012Validator(schemas.parsed("decide")).validate(body)


def test_what_people_read_begins_with_the_advice_and_fits_a_screen() -> None:
    found = known(usage=usage(0.25, few=0.5))
    decided = Decided(known=found, conditions=conditions(found), recommendation=recommendation(found))

    said = table.text(decided).splitlines()

    assert said[0].startswith("kgate decide gemm: fix batching first; 25.0 % of the elapsed time")
    assert "ceiling: 1.33×, without any cost of its own (Amdahl 1967: 1 / (1 − share))" in said
    assert len(said) < 40
    assert all(len(line) <= table.WIDTH for line in said)
