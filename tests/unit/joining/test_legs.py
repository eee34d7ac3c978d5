"""Which legs are demanded, what came of each, and what that makes of the whole."""

from dataclasses import replace
from pathlib import Path

import pytest

from kgate import joining
from kgate.joining.intake import Delivery
from kgate.joining.legs import Joined, Judged, Leg, assigned, expected
from kgate.model import Report, Verdict
from kgate.planning.demand import Demand
from kgate.runner.ledger import NO_FILE, Ledger
from tests.unit.builders import report_of, run_of
from tests.unit.planning.test_demand import planned

H100, L4 = (
    Demand(device="h100", required=True),
    Demand(device="l4", required=False, why="on probation until 2027-01-31"),
)
LEGS = (Leg(name="h100-1of1", device="h100", required=True), Leg(name="l4-1of1", device="l4", required=False, why="x"))


def came(leg: str, attempt: int = 1, folder: str = "") -> Delivery:
    ledger = Ledger(Path("ledger.jsonl"), NO_FILE, {})
    return Delivery(folder=folder or f"kgate-{leg}-a{attempt}", leg=leg, attempt=attempt, ledger=ledger)


def judged(leg: Leg, *verdicts: Verdict, trouble: str = "") -> Judged:
    reports = tuple(replace(report(), verdict=verdict) for verdict in verdicts)
    return Judged(leg=leg, reports=reports, trouble=(trouble,) if trouble else ())


def report() -> Report:
    return report_of(run_of())


def joined(*legs: Judged, trouble: tuple[str, ...] = (), waived: dict[str, str] | None = None) -> Joined:
    return Joined(manifest="kgate.yaml", head="c" * 40, base="b" * 40, legs=legs, trouble=trouble, waived=waived or {})


def test_every_leg_of_the_matrix_is_expected_with_its_kernels() -> None:
    away = Demand(device="b200", required=False, waived=True, why="waived")

    found = expected(planned(H100, L4, away, shards=2))

    assert [(leg.name, leg.required) for leg in found] == [
        ("h100-1of2", True),
        ("h100-2of2", True),
        ("l4-1of2", False),
        ("l4-2of2", False),
    ]
    assert (found[0].kernels, found[1].kernels) == ({"k0"}, {"k1"})
    assert [found[0].answers_for(name) for name in ("k0", "k1", "idle")] == [True, False, True]
    assert [found[1].answers_for(name) for name in ("k0", "k1", "idle")] == [False, True, False]


def test_attempts_are_put_together_and_what_is_of_no_leg_or_came_twice_is_said() -> None:
    found = [
        came("h100-1of1", 2),
        came("h100-1of1", 1),
        came("h100-1of1", 1, "copy"),
        came("a100-1of1"),
        came("", 0, "x"),
    ]

    by_leg, trouble = assigned(LEGS, found)

    assert [d.attempt for d in by_leg["h100-1of1"]] == [1, 2]
    assert set(by_leg) == {"h100-1of1"}
    assert trouble == (
        "x is extra: it is of no leg by its name, and base expects h100-1of1, l4-1of1",
        "kgate-a100-1of1-a1 is extra: it is of leg a100-1of1, and base expects h100-1of1, l4-1of1",
        "kgate-h100-1of1-a1 is there twice: attempt 1 of leg h100-1of1 counts once",
    )


def test_a_folder_of_any_name_is_of_the_only_leg() -> None:
    by_leg, trouble = assigned(LEGS[:1], [came("", 0, "results")])

    assert [d.folder for d in by_leg["h100-1of1"]] == ["results"]
    assert trouble == ()


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (judged(LEGS[0], Verdict.PASS), Verdict.PASS),
        (judged(LEGS[0], Verdict.FAIL), Verdict.FAIL),
        (judged(LEGS[0]), Verdict.NO_VERDICT),
        (judged(LEGS[0], Verdict.PASS, trouble="is missing"), Verdict.NO_VERDICT),
        (judged(LEGS[0], Verdict.FAIL, trouble="cannot be judged"), Verdict.FAIL),
        # A later attempt on another machine: who was blocked is not cleared, who was open may be.
        (judged(LEGS[0], Verdict.PASS, Verdict.FAIL), Verdict.FAIL),
        (judged(LEGS[0], Verdict.PASS, Verdict.NO_VERDICT), Verdict.PASS),
        (judged(LEGS[0], Verdict.NO_VERDICT, Verdict.PASS), Verdict.NO_VERDICT),
        # What is not required warns at the most, also where nothing of it came.
        (judged(LEGS[1], Verdict.FAIL), Verdict.WARN),
        (judged(LEGS[1]), Verdict.WARN),
        (judged(LEGS[1], Verdict.PASS), Verdict.PASS),
    ],
)
def test_what_a_leg_counts_for(found: Judged, verdict: Verdict) -> None:
    assert found.verdict is verdict


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (joined(judged(LEGS[0], Verdict.PASS), judged(LEGS[1], Verdict.PASS)), Verdict.PASS),
        (joined(judged(LEGS[0], Verdict.PASS), judged(LEGS[1], Verdict.FAIL)), Verdict.WARN),
        (joined(judged(LEGS[0], Verdict.WARN), judged(LEGS[1])), Verdict.WARN),
        (joined(judged(LEGS[0]), judged(LEGS[1], Verdict.PASS)), Verdict.NO_VERDICT),
        (joined(judged(LEGS[0], Verdict.FAIL), trouble=("extra",)), Verdict.FAIL),
        (joined(judged(LEGS[0], Verdict.PASS), trouble=("extra",)), Verdict.NO_VERDICT),
        (joined(judged(LEGS[0], Verdict.PASS), waived={"b200": "waived"}), Verdict.WARN),
        # Nothing that was measured is no pass: not even where all of it is waived, or on probation.
        (joined(), Verdict.NO_VERDICT),
        (joined(waived={"h100": "waived"}), Verdict.NO_VERDICT),
        (joined(judged(LEGS[1])), Verdict.NO_VERDICT),
    ],
)
def test_what_all_legs_come_to(found: Joined, verdict: Verdict) -> None:
    assert found.verdict is verdict


@pytest.mark.parametrize(
    ("needs", "said"),
    [
        ("", []),
        ('{"plan": {"result": "success"}, "measure": {"result": "success"}}', []),
        ('{"measure": {"result": "failure"}}', ["job measure ended as failure"]),
        ('{"measure": {"result": "skipped"}}', ["job measure ended as skipped"]),
        ('{"measure": {"result": "cancelled"}}', ["job measure ended as cancelled"]),
        ('{"measure": {}}', ["job measure ended as None"]),
        ('{"measure": "success"}', ["job measure ended as None"]),
        ('{"measure": {"result": "failure", "result": "success"}}', ["what is said of the jobs before is not JSON"]),
        ("success", ["what is said of the jobs before is not JSON"]),
    ],
)
def test_a_job_that_did_not_end_well_is_trouble(needs: str, said: list[str]) -> None:
    found = joining.unmet(needs, measured=True)

    assert len(found) == len(said)
    assert all(sentence.startswith(start) for sentence, start in zip(found, said, strict=True))


def test_where_nothing_is_expected_the_job_that_measures_may_be_skipped() -> None:
    assert joining.unmet('{"measure": {"result": "skipped"}}', measured=False) == ()
