"""What counts as growth against base, and what does not."""

from dataclasses import replace

import pytest

from kgate.model import BASE, HEAD, CompiledKernel, Finding, Level, Measurement, Run
from tests.unit.builders import (
    answer,
    compiled,
    failure,
    judged,
    kernel,
    run_of,
    with_comparisons,
    with_compiled,
    with_outcomes,
    wrong,
)

MIB = 1 << 20
SAME = "0a" * 32


def against(head: Measurement, base: Measurement, run: Run | None = None) -> Run:
    return with_outcomes(run or run_of(), (HEAD, head), (BASE, base))


def of_kernels(head: CompiledKernel, base: CompiledKernel) -> Run:
    return against(with_compiled(answer(), head), with_compiled(answer(), base))


def grown(run: Run, level: Level = Level.WARN) -> list[Finding]:
    return [f for f in judged(run, {"grown": level}) if f.rule == "grown"]


@pytest.mark.parametrize(
    ("fact", "base", "head", "told"),
    [
        ("workspace_bytes", 0, 2 * MIB, "workspace 0 B → 2.00 MiB"),
        ("workspace_bytes", 100 * MIB, 106 * MIB, "workspace 100 MiB → 106 MiB"),
        ("peak_bytes", 10 * MIB, 12 * MIB, "peak memory 10.0 MiB → 12.0 MiB"),
        ("kernel_launches", 1, 2, "kernel launches of a call 1 → 2"),
        ("kernel_launches", 100, 101, "kernel launches of a call 100 → 101"),
    ],
)
def test_what_a_call_takes_more_of_is_named_with_both_numbers(fact, base, head, told):
    (finding,) = grown(against(answer(**{fact: head}), answer(**{fact: base})))

    assert finding.sentence == f"acme.gemm:fused on workload small has grown since base: {told}"
    assert finding.level is Level.WARN


@pytest.mark.parametrize(
    ("fact", "base", "head"),
    [
        ("workspace_bytes", 0, MIB - 1),
        ("workspace_bytes", 100 * MIB, 105 * MIB),
        ("peak_bytes", 12 * MIB, 10 * MIB),
        ("kernel_launches", 2, 2),
        ("kernel_launches", 2, 1),
    ],
)
def test_within_the_margin_or_less_is_no_growth(fact, base, head):
    assert grown(against(answer(**{fact: head}), answer(**{fact: base}))) == []


@pytest.mark.parametrize(
    ("field", "base", "head", "told"),
    [
        ("registers", 64, 72, "registers of gemm_kernel 64 → 72"),
        ("local_bytes", 0, 16, "spills and local memory of gemm_kernel 0 B → 16 B"),
        ("shared_bytes", 32768, 65536, "shared memory of gemm_kernel 32.0 KiB → 64.0 KiB"),
    ],
)
def test_what_the_machine_code_takes_more_of_is_named_with_its_kernel(field, base, head, told):
    (finding,) = grown(of_kernels(compiled(**{field: head}), compiled(**{field: base})))

    assert finding.sentence.endswith(told)


@pytest.mark.parametrize(
    ("head", "base"),
    [
        (compiled(registers=70), compiled(registers=64)),
        (compiled(registers=64), compiled(registers=None)),
        (compiled(registers=None), compiled(registers=64)),
        (compiled("new_kernel", registers=255), compiled("gemm_kernel")),
        (compiled(registers=255, code_sha256=SAME), compiled(registers=64, code_sha256=SAME)),
        (compiled(compile_ns=4_000_000_000), compiled(compile_ns=2_100_000_000)),
        (compiled(compile_ns=1_900_000_000), compiled(compile_ns=1)),
        (compiled(compile_ns=60_000_000_000), compiled(compile_ns=None)),
    ],
    ids=["a step", "untold in base", "untold in head", "new", "same code", "not twice", "short", "from a cache"],
)
def test_what_is_new_untold_or_the_same_code_has_not_grown(head, base):
    assert grown(of_kernels(head, base)) == []


def test_all_that_grew_is_one_finding_and_the_worst_comes_first():
    head = with_compiled(answer(kernel_launches=3), compiled(registers=128, local_bytes=8, compile_ns=9 * 10**9))
    base = with_compiled(answer(kernel_launches=1), compiled(compile_ns=10**9))

    (finding,) = grown(against(head, base))

    assert "spills and local memory of gemm_kernel 0 B → 8 B, and 3 other quantities" in finding.sentence
    assert list(finding.evidence.items()) == [
        ("kernel launches of a call", "1 → 3"),
        ("registers of gemm_kernel", "64 → 128"),
        ("compile time of gemm_kernel", "1.00 s → 9.00 s"),
    ]


def test_evidence_stays_short_and_says_how_much_it_left_out():
    many = [compiled(f"k{n}", registers=128) for n in range(9)]
    few = [compiled(f"k{n}") for n in range(9)]

    (finding,) = grown(against(with_compiled(answer(), *many), with_compiled(answer(), *few)))

    assert len(finding.evidence) == 6
    assert finding.evidence["more"] == "3 with --format json"


@pytest.mark.parametrize(("level", "stays"), [(Level.FAIL, Level.FAIL), (Level.NOTE, Level.NOTE)])
def test_compile_time_alone_is_a_note_whatever_the_policy_says_of_the_rest(level, stays):
    slow = of_kernels(compiled(compile_ns=9 * 10**9), compiled(compile_ns=10**9))
    large = of_kernels(compiled(registers=128, compile_ns=9 * 10**9), compiled(compile_ns=10**9))

    assert [f.level for f in grown(slow, level)] == [Level.NOTE]
    assert [f.level for f in grown(large, level)] == [stays]


def test_kernels_of_one_name_are_compared_in_the_order_in_which_they_were_used():
    small, large = compiled(registers=32), compiled(registers=200)

    same = against(with_compiled(answer(), small, large), with_compiled(answer(), small, large))
    (finding,) = grown(against(with_compiled(answer(), small, large), with_compiled(answer(), small, small)))

    assert grown(same) == []
    assert finding.sentence.endswith("registers of gemm_kernel 32 → 200")


def test_another_pick_of_an_autotuner_is_chance_and_no_growth():
    picked = compiled(registers=128, config={"M": "128"})
    head = with_compiled(answer(tuned={"gemm (64, 64)": "M 128"}), picked)
    base = with_compiled(answer(tuned={"gemm (64, 64)": "M 64"}), compiled())

    assert grown(against(head, base)) == []
    assert len(grown(of_kernels(picked, compiled()))) == 1  # a configuration of the author's is a change


def test_calls_of_another_number_of_steps_are_not_compared():
    run = run_of(kernel(steps=2), base_kernels={"gemm": kernel(steps=1)})

    assert grown(against(answer(kernel_launches=2), answer(kernel_launches=1), run)) == []


@pytest.mark.parametrize("arm", [HEAD, BASE], ids=lambda arm: arm.name)
def test_a_side_that_is_wrong_or_failed_is_no_measure(arm):
    run = against(answer(kernel_launches=9), answer(kernel_launches=1))

    assert grown(with_comparisons(run, (arm, wrong()))) == []
    assert grown(with_outcomes(run, (arm, failure()))) == []


def test_without_a_base_nothing_has_grown():
    run = against(answer(kernel_launches=9), answer())

    assert grown(replace(with_outcomes(run, (BASE, None)), base_ran=False, base_kernels={})) == []


def test_growth_is_never_pre_existing():
    (finding,) = grown(against(answer(kernel_launches=9), answer(kernel_launches=1)), Level.FAIL)

    assert finding.blocks
