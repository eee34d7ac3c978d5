"""A tolerance that accepts what is wrong is a warning, and blocks where the kernel's own answer needs it."""

from dataclasses import replace

import pytest

from kgate import rules
from kgate.model import FALLBACK, HEAD, Bound, Comparison, Finding, Level, Tolerance
from tests.unit.builders import kernel, right, run_of, with_comparisons, workload

LOOSE = Bound(source="manifest", atol=1.0)


def found(head: tuple[Comparison, ...], fallback: tuple[Comparison, ...] | None = None) -> list[Finding]:
    declared = replace(kernel(), workloads=(workload(tolerance={"": Tolerance(atol=1.0)}),))
    run = with_comparisons(run_of(declared), (HEAD, head), (FALLBACK, fallback or right(bound=LOOSE)))
    return [f for f in rules.judge(run, {}) if f.rule == "check-too-loose"]


@pytest.mark.parametrize("words", [("of one constant",), ("with its numbers in other places",)])
def test_a_tolerance_that_nobody_needs_warns(words: tuple[str, ...]) -> None:
    (only,) = found(right(bound=LOOSE, accepts=words))

    assert only.level is Level.WARN
    assert f"would accept an answer {words[0]} for output 0" in only.sentence


def test_fewer_bits_alone_are_nothing_to_warn_of() -> None:
    assert found(right(bound=LOOSE, accepts=("in TF32",))) == []


def test_an_answer_that_needs_the_tolerance_blocks() -> None:
    (only,) = found(right(bound=LOOSE, accepts=("in TF32",), beyond="row error 0.001, at most 1e-05 allowed"))

    assert only.blocks
    assert "the kernel's own answer needs it: row error 0.001, at most 1e-05 allowed" in only.sentence


def test_a_kernel_no_less_exact_than_its_fallback_is_free_to_need_it() -> None:
    coarse = right(bound=LOOSE, accepts=("in TF32",), beyond="row error 0.001, at most 1e-05 allowed")

    assert found(coarse, coarse) == []


def test_a_comparison_of_ones_own_that_accepts_wrong_answers_blocks() -> None:
    accepting = right(bound=Bound(source="compare"), accepts=("of zeros", "of NaN"))
    declared = replace(kernel(), compare="acme.checks:same")
    run = with_comparisons(run_of(declared), (HEAD, accepting))

    (only,) = [f for f in rules.judge(run, {}) if f.rule == "check-too-loose"]

    assert only.blocks
    assert only.sentence == (
        "acme.checks:same, which compares gemm, would accept an answer of zeros or of NaN on workload small"
    )
