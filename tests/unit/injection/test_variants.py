"""Amounts of a dose from what two amounts did, and slower picks of an autotuner."""

import pytest

from kgate import picks
from kgate.injection import variants
from kgate.model import Case
from kgate.protocol import CaseJob, Dose, Fill, TensorArg, ValueArg

X = TensorArg(shape=(64, 1000), dtype="float32", fill=Fill(kind="uniform"), stream=1)
JOB = CaseJob(
    case="softmax/wide@cpu",
    dsl="torch",
    entry="a:b",
    args={"x": X, "k": ValueArg(value=3)},
    keywords=True,
    symbols={},
    picks={"tuner": "as ever"},
)
CASE = Case(kernel="softmax", workload="wide", device="cpu")


@pytest.mark.parametrize(
    ("way", "amounts"), [("more-work", [1, 8]), ("extra-load", [1000, 8000]), ("host-delay", [156, 1250])]
)
def test_two_amounts_are_tried_a_part_of_all_there_is(way, amounts):
    assert [v.dose.amount for v in variants.tried(JOB, way, 10_000.0)] == amounts


def test_the_amount_for_a_dose_lies_on_the_line_through_what_was_tried():
    assert variants.sized({100: 1.01, 800: 1.08}, 5.0, 6400) == (500, "")


@pytest.mark.parametrize(
    ("seen", "why"),
    [
        ({100: 1.10, 800: 1.17}, "the least of it is +9.0 %"),
        ({100: 1.001, 800: 1.008}, "all of it is no more than +1.0 %"),
        ({100: 1.00, 800: 0.99}, "an eighth of it makes no call measurably slower"),
        ({100: 1.02}, "an eighth of it makes no call measurably slower"),
    ],
)
def test_a_dose_that_cannot_be_had_is_refused_with_what_can(seen, why):
    assert variants.sized(seen, 5.0, 1000) == (0, why)


def test_a_slowed_form_is_a_case_of_its_own_with_the_dose_in_its_job():
    variant = variants.Variant(way="extra-load", wanted=5.0, dose=Dose(way="extra-load", amount=4096))

    job = variant.job(JOB, CASE)

    assert job.case == "softmax/wide + extra-load 4096@cpu"
    assert (job.dose, job.picks) == (variant.dose, JOB.picks)


FACTS = {
    "tuned": {"gemm": "BLOCK_M=128, BLOCK_N=128, num_warps=8, num_stages=3"},
    "configurations": [
        "gemm\tBLOCK_M=128, BLOCK_N=128, num_warps=8, num_stages=3",
        "gemm\tBLOCK_M=128, BLOCK_N=128, num_warps=4, num_stages=3",
        "gemm\tBLOCK_M=128, BLOCK_N=128, num_warps=2, num_stages=3",
        "gemm\tBLOCK_M=64, BLOCK_N=64, num_warps=4, num_stages=2",
        "gemm\tBLOCK_M=128, BLOCK_N=64, num_warps=8, num_stages=3",
        "gemm\tBLOCK_M=256, BLOCK_N=128, num_warps=8, num_stages=3",
    ],
}


@pytest.mark.parametrize(
    ("names", "pick"),
    [
        (picks.WARPS, "BLOCK_M=128, BLOCK_N=128, num_warps=4, num_stages=3"),
        (picks.TILE, "BLOCK_M=128, BLOCK_N=64, num_warps=8, num_stages=3"),
    ],
)
def test_the_nearest_configuration_with_less_of_it_is_taken(names, pick):
    found = picks.slower(FACTS, names, "less")

    assert found.picks == {"gemm": pick}
    assert found.what.endswith(f" -> {pick}")


def test_a_kernel_without_a_tuner_or_without_a_smaller_choice_says_so():
    alone = {**FACTS, "configurations": FACTS["configurations"][:1]}

    assert picks.slower({}, picks.TILE, "a smaller tile").why.startswith("it has no autotuner")
    assert picks.slower(alone, picks.TILE, "a smaller tile").why.endswith("has a smaller tile than the one picked")


def facts(spaces, tuned=None):
    return {"spaces": spaces, "tuned": tuned or dict.fromkeys(spaces, "pick")}


def test_tuners_with_the_same_choice_share_bases_pick_and_others_share_none():
    head = facts({"a": "1", "b": "2", "c": "3"}, {"a": "ours", "b": "ours", "c": "ours"})
    base = facts({"a": "1", "b": "9", "d": "4"}, {"a": "theirs", "b": "theirs", "d": "theirs"})

    same = picks.shared([head], [base])

    assert same == {"a": "theirs"}
    assert picks.changed(head, same)
    assert not picks.changed(facts({"a": "1"}), same)
    assert not picks.changed({}, same)


def test_a_tuner_is_shared_whichever_case_of_an_arm_was_the_first_to_tune_it():
    head = [facts({"a": "1"}, {"a": "ours"}), facts({}, {"a": "ours"})]
    base = [facts({}, {}), facts({"a": "1"}, {"a": "theirs"})]

    assert picks.shared(head, base) == {"a": "theirs"}
