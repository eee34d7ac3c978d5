"""`kgate report`: the same samples judged again, and attempts of one key pooled."""

import json
import os
import statistics
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from kgate import drills, premises, report
from kgate.correctness import Bench
from kgate.errors import HostError, UsageError
from kgate.model import (
    FALLBACK,
    FENCED,
    HEAD,
    SECOND,
    SWITCH_ON,
    Arm,
    Case,
    Comparison,
    Decision,
    Outcome,
    Ratio,
    Report,
    Variant,
)
from kgate.reports import Style, render
from kgate.runner import records
from kgate.runner.ledger import Ledger
from kgate.runner.state import folder_at, hold
from kgate.varying import with_variants
from tests.unit import builders, ledgers
from tests.unit.ledgers import CASE, attempt, confirmed

HERE = Path("kgate.yaml")


def again(*ledgers: Path) -> Report:
    return report.again(ledgers, HERE)


def against_base(found: Report) -> Ratio:
    ratio = found.run.latency[CASE].ratio("head", "base")
    assert ratio is not None
    return ratio


def test_a_ledger_alone_is_enough_to_judge_its_run_again(tmp_path):
    found = again(attempt(tmp_path / "one.jsonl"))

    assert {f.rule for f in found.findings} == {"no-baseline", "not-measured"}, "no timed call was exported"
    assert (found.verdict.value, found.attempts, found.key) == ("warn", 1, "key")
    assert found.run.remarks == ("a remark", drills.NONE_REMARK)
    assert found.wall_s == 60.0
    assert found.cost_s == {"times": 50.0}
    assert against_base(found).decision is Decision.NO_SLOWER
    assert against_base(found).launches == 8


def test_a_slowdown_is_found_again_with_what_confirmed_it(tmp_path):
    found = again(attempt(tmp_path / "one.jsonl", slower=1.06, launches=confirmed()))

    (blocking,) = [f for f in found.findings if f.blocks]
    assert blocking.rule == "slower-than-base"
    assert "confirmed by +6" in blocking.sentence


def test_a_claim_that_was_not_confirmed_while_the_run_lasted_is_left_open(tmp_path):
    found = again(attempt(tmp_path / "one.jsonl", slower=1.06))

    assert found.verdict.value == "no-verdict"
    assert "was not confirmed: +0.0 % in 0 launches" in against_base(found).reason


def test_a_run_that_was_told_how_many_launches_to_take_is_judged_at_that_look(tmp_path):
    found = again(attempt(tmp_path / "one.jsonl", launches=range(12), told=12))

    assert against_base(found).launches == 12


def test_launches_of_attempts_made_apart_are_pooled_and_counted(tmp_path):
    rough = {"slower": 1.04, "spread": 0.05}
    one = attempt(tmp_path / "one.jsonl", launches=range(32), **rough)
    two = attempt(tmp_path / "two.jsonl", hour=9, launches=range(32), **rough)

    alone, both = again(one), again(two, one)

    assert (against_base(alone).launches, against_base(both).launches) == (32, 64)
    assert against_base(both).decision is Decision.INCONCLUSIVE
    assert both.attempts == 2
    assert "64 launches of 2 attempts" in render(both, "text", Style())
    assert both.wall_s == 120.0


def test_who_was_blocked_is_not_cleared_by_trying_again(tmp_path):
    unlucky = attempt(tmp_path / "one.jsonl", slower=1.06, launches=confirmed())
    lucky = attempt(tmp_path / "two.jsonl", hour=9)

    found = again(lucky, unlucky)

    assert found.verdict.value == "fail"
    assert against_base(found).decision is Decision.SLOWER


def test_a_wrong_answer_is_not_outdone_by_a_right_one_and_one_of_the_machine_is(tmp_path):
    raised = attempt(tmp_path / "raised.jsonl", outcomes={HEAD: builders.failure()})
    hung = attempt(tmp_path / "hung.jsonl", outcomes={HEAD: builders.failure("hung", "no answer in 120 s")})
    right = attempt(tmp_path / "right.jsonl", hour=9)

    assert again(raised, right).verdict.value == "fail"
    assert again(hung).verdict.value == "fail"
    assert again(hung, right).verdict.value == "warn"


def test_an_attempt_that_was_copied_is_one_attempt(tmp_path):
    one = attempt(tmp_path / "one.jsonl")
    (tmp_path / "copy.jsonl").write_bytes(one.read_bytes())

    found = again(one, tmp_path / "copy.jsonl")

    assert found.attempts == 1
    assert len(found.run.latency[CASE].launches) == 8


def test_runs_of_different_things_are_not_pooled(tmp_path):
    one, two = attempt(tmp_path / "one.jsonl"), attempt(tmp_path / "two.jsonl", hour=9, key="other")

    with pytest.raises(UsageError, match=r"two\.jsonl: is not of the same run as .*one\.jsonl: another environment"):
        again(one, two)


def test_a_torn_last_line_costs_no_more_than_itself(tmp_path):
    path = attempt(tmp_path / "one.jsonl")
    path.write_bytes(path.read_bytes() + b'{"kind": "launch", "na')

    assert against_base(again(path)).launches == 8


def test_an_interrupted_run_and_a_file_that_says_too_little_are_told_apart(tmp_path):
    lines = attempt(tmp_path / "one.jsonl").read_text().splitlines(keepends=True)
    kinds = [json.loads(line)["kind"] for line in lines]
    (tmp_path / "early.jsonl").write_text("".join(lines[: kinds.index("ownership")]))
    (tmp_path / "old.jsonl").write_text("".join(lines[kinds.index("look") : -1]))

    with pytest.raises(HostError, match=r"early\.jsonl: the run was interrupted .* `kgate check` goes on with it"):
        again(tmp_path / "early.jsonl")
    with pytest.raises(UsageError, match=r"old\.jsonl: does not say what its run was about"):
        again(tmp_path / "old.jsonl")
    with pytest.raises(UsageError, match=r"ledger\.jsonl: is not there; name a folder that `kgate check --results`"):
        again(tmp_path)


def test_a_run_that_is_still_writing_is_not_called_interrupted(tmp_path):
    lines = attempt(tmp_path / "whole.jsonl").read_text().splitlines(keepends=True)
    kinds = [json.loads(line)["kind"] for line in lines]
    (tmp_path / "early.jsonl").write_text("".join(lines[: kinds.index("ownership")]))

    with (
        Ledger.open(tmp_path / "early.jsonl"),
        pytest.raises(HostError, match=r"early\.jsonl: the run is still running"),
    ):
        again(tmp_path / "early.jsonl")
    with Ledger.open(tmp_path / "whole.jsonl"):
        going_on = again(tmp_path / "whole.jsonl")

    assert report.STILL_RUNNING in going_on.run.remarks
    assert report.STILL_RUNNING not in again(tmp_path / "whole.jsonl").run.remarks


def test_a_first_run_that_has_just_begun_is_not_called_unknown(tmp_path):
    (tmp_path / ".git").mkdir()
    lock = hold(folder_at(tmp_path))

    with pytest.raises(HostError, match=r"kgate\.yaml: its first run has just begun"):
        report.again((), tmp_path / "kgate.yaml")

    os.close(lock)


def test_without_a_folder_it_is_the_last_run_of_the_manifest_here(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / ".kgate").mkdir()
    with pytest.raises(UsageError, match=r"kgate\.yaml: no run of it is known here; run `kgate check` first"):
        report.again((), tmp_path / "kgate.yaml")

    attempt(tmp_path / ".kgate" / "key.jsonl")

    assert report.again((), tmp_path / "kgate.yaml").attempts == 1


def test_figures_for_pytest_benchmark_are_those_of_the_samples_in_the_json_report(tmp_path):
    found = again(attempt(tmp_path / "one.jsonl"))

    (case,) = json.loads(render(found, "json", Style()))["cases"]
    (told,) = json.loads(render(found, "pytest-benchmark", Style()))["benchmarks"]

    data = [ns * 1e-9 for launch in case["latency"]["launches"] for ns in launch["samples_ns"]["head"]]
    assert told["stats"]["data"] == data
    assert {name: told["stats"][name] for name in ("min", "mean", "median", "stddev", "rounds")} == {
        "min": min(data),
        "mean": statistics.mean(data),
        "median": statistics.median(data),
        "stddev": statistics.stdev(data),
        "rounds": 72,
    }
    assert told["extra_info"]["median_ns"] == case["latency"]["median_ns"]
    assert told["fullname"] == "kgate.yaml::add::w::latency"


VARIANT = Case(kernel="add", workload="w~K=129", device="h200")
VARIED = Variant(of=CASE, kind="K", change="K = 129", workload=builders.workload("w~K=129", weight=0.0))
Outcomes = Mapping[tuple[Arm, Case], Outcome]
Compared = Mapping[tuple[Arm, Case], tuple[Comparison, ...]]


def more(path: Path, outcomes: Outcomes, compared: Compared) -> Path:
    """The ledger of a run that has asked a variant as well, and has found this besides."""
    with Ledger.open(path) as ledger:
        here = ledgers.setting(ledger)
        premises.record(replace(here, plan=with_variants(here.plan, [VARIED])))
        for (arm, case), outcome in outcomes.items():
            ledger.record("outcome", f"{arm.name}|{case.name}", records.outcome_to_json(outcome))
        for (arm, case), found in compared.items():
            ledger.record("comparison", f"{arm.name}|{case.name}", records.comparisons_to_json(found))
    return path


@pytest.mark.parametrize(
    ("outcomes", "compared", "rule"),
    [
        (
            {(HEAD, CASE): replace(builders.answer(), later={"second call": ()})},
            {(SECOND, CASE): builders.wrong()},
            "wrong-result",
        ),
        ({(FENCED, CASE): builders.failure("died", "was ended by signal 11")}, {}, "contract-broken"),
        (
            dict.fromkeys([(FALLBACK, VARIANT), (SWITCH_ON, VARIANT)], builders.answer()),
            {(FALLBACK, VARIANT): builders.right(), (SWITCH_ON, VARIANT): builders.wrong()},
            "wrong-result",
        ),
    ],
    ids=["on its second call", "at a fence", "beside the workloads"],
)
def test_what_was_wrong_at_another_moment_or_beside_the_workloads_is_wrong_in_a_report_as_well(
    tmp_path: Path, outcomes: Outcomes, compared: Compared, rule: str
) -> None:
    path = attempt(tmp_path / "one.jsonl")
    assert again(path).verdict.value == "warn"

    found = again(more(path, outcomes, compared))

    assert [f.rule for f in found.findings if f.blocks] == [rule]
    assert found.verdict.value == "fail"


def test_a_process_that_was_lost_at_a_fence_is_known_to_a_run_that_goes_on_with_this_one(tmp_path: Path) -> None:
    lost = builders.failure("died", "was ended by signal 11")
    with Ledger.open(more(attempt(tmp_path / "one.jsonl"), {(FENCED, CASE): lost}, {})) as ledger:
        bench = Bench(setting=ledgers.setting(ledger), emit=print)

        bench.run(HEAD, [CASE])

    assert bench.outcomes[FENCED, CASE] == lost
