"""What a custom path does besides answering is its fault where the fallback does not do the same."""

from dataclasses import replace
from pathlib import Path

import pytest

from kgate import rules
from kgate.model import (
    AFRESH,
    BASE,
    FALLBACK,
    FENCED,
    HEAD,
    IN_NAN,
    REPEATS,
    SECOND,
    TIMED,
    Finding,
    Run,
    Tensor,
    of_base,
)
from tests.unit.builders import answer, failure, kernel, right, run_of, with_comparisons, with_outcomes, wrong


def blamed(run: Run) -> list[Finding]:
    return [f for f in rules.judge(run, {}) if f.blocks]


def shaped(**changes: object) -> Tensor:
    plain = Tensor(path=Path("out/0.bin"), dtype="float32", shape=(64, 128), strides=(128, 1), device="cpu")
    return replace(plain, **changes)  # type: ignore[arg-type]  # a field's own type each


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"shared_with_input": ["output 0: x"]}, "returns output 0 in the memory of its input x"),
        ({"output_reused": ["output 1"]}, "in the memory of its first answer: output 1"),
        ({"wrote_outside": ["y"]}, "writes outside its input y"),
        ({"surroundings": ["torch.get_num_threads: 8 → 1", "b"]}, "shares: torch.get_num_threads: 8 → 1, and 1 more"),
        ({"output_types": ["acme.Later"]}, "returns a acme.Later"),
    ],
)
def test_a_habit_that_the_fallback_has_not_breaks_the_contract(facts: dict[str, list[str]], words: str) -> None:
    run = with_outcomes(run_of(), (HEAD, answer(**facts)))

    found = blamed(run)

    assert [f.rule for f in found] == ["contract-broken"]
    assert words in found[0].sentence


@pytest.mark.parametrize("key", ["shared_with_input", "output_reused", "surroundings", "output_types"])
def test_a_habit_that_the_fallback_has_too_is_none_to_blame(key: str) -> None:
    both = answer(**{key: ["output 0: x"]})

    run = with_outcomes(run_of(), (HEAD, both), (FALLBACK, both))

    assert blamed(run) == []


def test_what_base_does_as_well_does_not_block() -> None:
    both = answer(surroundings=["torch.get_num_threads: 8 → 1"])

    run = with_outcomes(run_of(), (HEAD, both), (BASE, both))

    assert blamed(run) == []


def test_an_output_in_the_memory_of_what_setup_made_is_where_it_was_meant_to_be() -> None:
    run = with_outcomes(run_of(kernel(setup="acme.gemm:plan")), (HEAD, answer(output_reused=["output 0"])))

    assert blamed(run) == []


def test_who_dies_at_a_fence_and_answers_without_one_goes_beyond_its_inputs() -> None:
    run = with_outcomes(run_of(), (FENCED, failure("died", "was ended by signal 11 (SIGSEGV)")))

    found = blamed(run)

    assert [f.rule for f in found] == ["contract-broken"]
    assert "beyond its inputs: was ended by signal 11 (SIGSEGV)" in found[0].sentence


@pytest.mark.parametrize(
    ("output", "broken"),
    [
        (shaped(strides=(1, 64)), True),
        (shaped(strides=(256, 2)), True),
        (shaped(device="cuda:0"), True),
        (shaped(), False),
    ],
)
def test_strides_and_device_are_those_of_the_fallback(output: Tensor, broken: bool) -> None:
    run = with_outcomes(run_of(), (HEAD, replace(answer(), outputs=(output,))))

    assert [f.rule for f in blamed(run)] == ["contract-broken"] * broken


def test_c_order_is_good_enough_where_the_fallback_answers_transposed() -> None:
    transposed = replace(answer(), outputs=(shaped(strides=(1, 64)),))

    run = with_outcomes(run_of(), (FALLBACK, transposed), (of_base(FALLBACK), transposed))

    assert blamed(run) == []


def test_a_stride_of_a_single_row_is_no_stride() -> None:
    head, fallback = (replace(answer(), outputs=(shaped(shape=(1, 128), strides=(s, 1)),)) for s in (7, 128))

    run = with_outcomes(run_of(), (HEAD, head), (FALLBACK, fallback))

    assert blamed(run) == []


@pytest.mark.parametrize(
    ("arm", "words"),
    [(SECOND, "on its second call"), (IN_NAN, "where unwritten memory holds NaN"), (TIMED, "in a timed call")],
)
def test_a_later_answer_that_is_wrong_is_named_by_its_moment(arm: object, words: str) -> None:
    run = with_comparisons(run_of(), (arm, wrong()))  # type: ignore[arg-type]  # an Arm

    found = blamed(run)

    assert [f.rule for f in found] == ["wrong-result"]
    assert words in found[0].sentence


def test_a_first_answer_that_is_wrong_beside_a_right_second_is_said_to_be_so() -> None:
    run = with_comparisons(run_of(), (HEAD, wrong()), (SECOND, right()))

    assert "on its first call only" in blamed(run)[0].sentence


def test_an_input_that_only_the_fallback_heeds_makes_a_stale_result() -> None:
    run = with_outcomes(run_of(), (HEAD, answer(ignores=["w", "b"])), (FALLBACK, answer(heeds=["x", "w"])))

    found = blamed(run)

    assert [f.rule for f in found] == ["wrong-result"]
    assert "values of its input w have changed" in found[0].sentence


def test_calls_that_differ_within_the_tolerance_are_no_fault_unless_the_same_bits_were_promised() -> None:
    head = replace(answer(repeats=100, repeats_differ=3), later={"repeats": (shaped(),)})

    for promised in (False, True):
        run = with_comparisons(with_outcomes(run_of(kernel(deterministic=promised)), (HEAD, head)), (REPEATS, right()))
        found = blamed(run)

        assert [f.rule for f in found] == ["nondeterministic"] * promised
        assert all("declared deterministic, and 3 of 100 calls" in f.sentence for f in found)


def test_a_custom_path_that_calls_the_fallback_has_not_been_taken() -> None:
    run = with_outcomes(run_of(), (HEAD, answer(called_fallback=1)))

    found = blamed(run)

    assert [f.rule for f in found] == ["path-not-taken"]
    assert "calls the fallback acme.gemm:eager" in found[0].sentence


@pytest.mark.parametrize(
    ("key", "words"),
    [("rows", "the last row of its batch is asked for alone"), ("stream", "on a stream that is not the default one")],
)
def test_other_numbers_where_the_call_is_made_otherwise_are_wrong_if_the_fallback_gives_the_same(
    key: str, words: str
) -> None:
    head = answer(**{key: 4, f"{key}_apart": ["output 0"]})

    blames = [
        [f.rule for f in blamed(with_outcomes(run_of(), (HEAD, head), (FALLBACK, answer(**fallback))))]
        for fallback in ({key: 4}, {}, {key: 4, f"{key}_apart": ["output 0"]})
    ]

    assert blames == [["wrong-result"], [], []]
    (found,) = blamed(with_outcomes(run_of(), (HEAD, head), (FALLBACK, answer(**{key: 4}))))
    assert words in found.sentence


@pytest.mark.parametrize(("deterministic", "differs", "rules"), [(True, True, ["nondeterministic"]), (True, False, [])])
def test_other_bits_in_another_process_break_the_promise_of_the_same(
    deterministic: bool, differs: bool, rules: list[str]
) -> None:
    afresh = answer(differs_afresh=differs)
    run = with_outcomes(run_of(kernel(deterministic=deterministic)), (AFRESH, afresh))

    assert [f.rule for f in blamed(run)] == rules
    assert blamed(with_outcomes(run, (of_base(AFRESH), afresh))) == []


@pytest.mark.parametrize(("subnormals", "blames"), [("flush", []), ("", ["wrong-result"])])
def test_zeros_both_times_are_no_stale_result_where_tiny_numbers_may_be_zero(
    subnormals: str, blames: list[str]
) -> None:
    head, fallback = answer(ignores_in_zeros=["x"]), answer(heeds=["x"])
    run = with_outcomes(run_of(kernel(subnormals=subnormals)), (HEAD, head), (FALLBACK, fallback))

    assert [f.rule for f in blamed(run)] == blames
