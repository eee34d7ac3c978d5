"""What the manifest says is refused has to end so, and an ordinary call behind it as it did before."""

from dataclasses import replace

import pytest

from kgate import rules
from kgate.model import FALLBACK, SWITCH_ON, Comparison, Failure, Finding, Measurement, Refusal, Run, Variant, of_base
from kgate.protocol import Fill, TensorArg
from tests.unit.builders import answer, case, failure, kernel, right, run_of, workload, wrong

BY_ERROR = Refusal(when="K % 8 != 0", ending="ValueError")
BY_FALLBACK = Refusal(when="K % 8 != 0", ending="fallback")
RAISED = replace(failure(), kinds=("ShapeError", "ValueError", "Exception", "BaseException"))

Answer = Measurement | Failure
Compared = tuple[Comparison, ...]
RIGHT = right()
ODD = TensorArg(shape=(65,), dtype="float32", fill=Fill(kind="normal", b=1.0), stream=1)


def asked(refusal: Refusal, refused: Answer, after: Answer, compared: Compared = (), behind: Compared = RIGHT) -> Run:
    """A green run of a kernel with one line of `refuses`: the usual call, one that is refused, the usual one again."""
    run = run_of(kernel(refuses=(refusal,)))
    usual = Variant(of=case(), kind="small", change="small", workload=replace(workload(), name="small~small"))
    odd = replace(workload(args={"x": ODD}), name="small~K=65", symbols={"K": 65}, refusal=refusal)
    again = replace(workload(), name="small~smallafterK=65")
    variants = (
        usual,
        Variant(of=case(), kind=f"refusal: {refusal.when}", change="K = 65", workload=odd),
        Variant(of=case(), kind="after a refusal", change="small after K = 65", workload=again, behind="K = 65"),
    )
    cases = [replace(case(), workload=v.workload.name) for v in variants]
    run = replace(run, variants=dict(zip(cases, variants, strict=True)))
    for at in cases:
        run = told(run, FALLBACK, at, answer(), right())
    run = told(run, SWITCH_ON, cases[0], answer(reached_custom=1), right())
    run = told(run, SWITCH_ON, cases[1], refused, compared)
    return told(run, SWITCH_ON, cases[2], after, behind)


def told(run: Run, arm, at, outcome: Answer, compared: Compared) -> Run:
    comparisons = {**run.comparisons, (arm, at): compared} if isinstance(outcome, Measurement) else run.comparisons
    return replace(run, outcomes={**run.outcomes, (arm, at): outcome}, comparisons=comparisons)


def blocking(run: Run) -> list[Finding]:
    return [f for f in rules.judge(run, {}) if f.blocks]


GOOD = answer(reached_custom=1)


@pytest.mark.parametrize(
    "run",
    [
        asked(BY_ERROR, RAISED, GOOD),
        asked(BY_FALLBACK, answer(), GOOD, right()),
        asked(BY_ERROR, failure("unavailable"), failure("unavailable")),
    ],
)
def test_a_refusal_that_is_kept_and_leaves_nothing_behind_is_no_fault(run: Run) -> None:
    assert blocking(run) == []


@pytest.mark.parametrize(
    ("refusal", "did", "compared", "words"),
    [
        (BY_ERROR, replace(failure(text="TypeError: no"), kinds=("TypeError",)), (), "raised: TypeError: no"),
        (BY_ERROR, answer(), right(), "answers"),
        (BY_FALLBACK, RAISED, (), "raised: ValueError: K is odd"),
    ],
)
def test_another_end_than_the_promised_one_breaks_the_contract(
    refusal: Refusal, did: Answer, compared: Compared, words: str
) -> None:
    (found,) = blocking(asked(refusal, did, GOOD, compared))

    assert (found.rule, found.name) == ("contract-broken", "gemm~refusal: K % 8 != 0")
    assert f"acme.ops:gemm, asked K = 65, {words}: the manifest promises" in found.sentence
    assert found.sentence.endswith("where K % 8 != 0")


@pytest.mark.parametrize("refusal", [BY_ERROR, BY_FALLBACK])
def test_a_wrong_number_in_place_of_a_refusal_is_a_wrong_result_and_blamed_once(refusal: Refusal) -> None:
    (found,) = blocking(asked(refusal, answer(), GOOD, wrong()))

    assert found.rule == "wrong-result"
    assert "K % 8 != 0" in found.evidence["promised"]


def test_what_is_wrong_behind_a_refusal_alone_is_told_as_that() -> None:
    (found,) = blocking(asked(BY_ERROR, RAISED, GOOD, behind=wrong()))

    assert (found.rule, found.name) == ("wrong-result", "gemm~after a refusal")
    assert "asked what it had answered rightly, after it was asked K = 65, which it refuses" in found.sentence


def test_an_error_behind_a_refusal_is_no_refusal() -> None:
    (found,) = blocking(asked(BY_ERROR, RAISED, failure(text="RuntimeError: poisoned")))

    assert found.rule == "wrong-result"
    assert "RuntimeError: poisoned" in found.sentence


def test_what_fails_before_a_refusal_as_well_is_no_fault_of_the_refusal() -> None:
    run = asked(BY_ERROR, RAISED, failure(text="RuntimeError: never"))
    usual = next(c for c, v in run.variants.items() if v.kind == "small")

    assert blocking(replace(run, outcomes={**run.outcomes, (SWITCH_ON, usual): failure()})) == []


def test_a_custom_path_that_no_call_reaches_behind_a_refusal_is_latched() -> None:
    (found,) = blocking(asked(BY_FALLBACK, answer(), answer(reached_custom=0), right()))

    assert found.rule == "fallback-latched"
    assert "after it was asked K = 65, which it refuses, never calls acme.gemm:fused again" in found.sentence


def test_a_promise_that_base_breaks_as_well_is_older_than_the_change() -> None:
    run = asked(BY_ERROR, answer(), GOOD, right())
    refused = next(c for c, v in run.variants.items() if v.workload.refusal)
    run = told(run, of_base(SWITCH_ON), refused, answer(), right())

    found = [f for f in rules.judge(run, {}) if f.rule == "contract-broken"]

    assert [f.pre_existing for f in found] == [True]
