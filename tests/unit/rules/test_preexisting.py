"""A change answers for what it changes."""

from collections.abc import Mapping
from dataclasses import replace

from kgate.model import (
    BASE,
    FALLBACK,
    HEAD,
    SWITCH_OFF,
    Bound,
    Decision,
    Kernel,
    Ownership,
    Run,
    Tolerance,
    Verdict,
    of_base,
    verdict_of,
)
from kgate.rules import as_base
from tests.unit.builders import (
    answer,
    case,
    drill,
    drilled,
    failure,
    judged,
    kernel,
    ratio,
    right,
    run_of,
    with_comparisons,
    with_latency,
    with_outcomes,
    workload,
    wrong,
)


def test_what_fails_in_base_as_well_is_shown_and_does_not_block():
    run = with_failures(run_of(kernel("gemm"), kernel("scan")), "gemm")

    findings = judged(run)

    assert [(f.rule, f.name, f.pre_existing) for f in findings] == [("does-not-run", "gemm/small", True)]
    assert verdict_of(findings) is Verdict.WARN


def test_a_run_in_which_nothing_answered_is_not_green_however_old_the_faults_are():
    findings = judged(with_failures(run_of(), "gemm"))

    assert {(f.rule, f.pre_existing) for f in findings} == {("does-not-run", True), ("not-measured", False)}
    assert verdict_of(findings) is Verdict.NO_VERDICT


def with_failures(run: Run, name: str) -> Run:
    """Head and base of one kernel raise, with different words."""
    mine = run.of_kernel(name)
    failed = with_outcomes(run, (HEAD, failure()), (BASE, failure(text="another text")))
    return replace(
        run,
        outcomes={**run.outcomes, **{k: o for k, o in failed.outcomes.items() if k[1] in mine}},
        comparisons={k: c for k, c in run.comparisons.items() if not (k[1] in mine and k[0] in (HEAD, BASE))},
    )


def test_base_failing_on_a_workload_that_head_adds_or_changes_excuses_nobody():
    run = with_failures(run_of(kernel("gemm"), kernel("scan")), "gemm")
    without = {**run.base_kernels, "gemm": kernel("gemm", workloads=())}
    resized = replace(run.kernels["gemm"].workloads[0], symbols={"M": 7})
    changed = {**run.base_kernels, "gemm": replace(kernel("gemm"), workloads=(resized,))}

    for base_kernels in (without, changed):
        findings = judged(replace(run, base_kernels=base_kernels))

        assert [(f.rule, f.pre_existing) for f in findings] == [("does-not-run", False)]
        assert verdict_of(findings) is Verdict.FAIL


def test_what_base_does_otherwise_is_head_s_own():
    findings = judged(with_comparisons(with_outcomes(run_of(), (BASE, failure())), (HEAD, wrong())))

    assert [(f.rule, f.pre_existing) for f in findings] == [("wrong-result", False)]


def test_a_fallback_and_a_drill_are_held_against_base_s_own():
    raising = with_outcomes(run_of(), (FALLBACK, failure()), (of_base(FALLBACK), failure()))
    stuck = with_outcomes(
        run_of(), (SWITCH_OFF, answer(reached_custom=1)), (of_base(SWITCH_OFF), answer(reached_custom=1))
    )

    assert [(f.rule, f.pre_existing) for f in judged(raising)] == [("fallback-raises", True)]
    assert [(f.rule, f.pre_existing) for f in judged(stuck)] == [("switch-without-effect", True)]


def test_a_kernel_that_is_new_has_no_base_to_hide_behind():
    run = with_outcomes(run_of(kernel(owners=(), switch=None), base_kernels={}), (BASE, None))

    findings = judged(run)

    assert {f.rule for f in findings} == {"owner-missing", "fallback-untested", "evidence-missing"}
    assert not any(f.pre_existing for f in findings)


def test_an_owner_that_base_had_and_head_removes_blocks():
    run = run_of(kernel(owners=()))
    owned = replace(run, base_kernels={"gemm": kernel()}, base_ownership={"gemm": Ownership(owners=("@acme/kernels",))})

    assert [f.pre_existing for f in judged(run)] == [True]
    assert [f.pre_existing for f in judged(owned)] == [False]


def test_a_finding_that_could_not_be_decided_is_never_pre_existing():
    run = with_outcomes(run_of(), (HEAD, failure("unavailable")), (BASE, failure("unavailable")))

    findings = judged(run)

    assert [(f.rule, f.pre_existing) for f in findings if f.blocks] == [("not-measured", False)]


def test_slower_than_fallback_in_base_too_is_pre_existing():
    head = ratio(below="fallback", median=1.3, decision=Decision.SLOWER)
    base = ratio("base", "fallback", 1.3, decision=Decision.SLOWER)

    assert [f.pre_existing for f in judged(with_latency(run_of(), ratio(), head, base))] == [True]
    assert [f.pre_existing for f in judged(with_latency(run_of(), ratio(), head))] == [False]


def test_as_base_puts_base_in_head_s_place_and_keeps_the_reference():
    run = with_outcomes(run_of(), (BASE, failure()))

    old = as_base(run)

    assert old.failed(HEAD, run.cases[0]) == failure()
    assert {arm.name for arm, _ in old.outcomes} == {"head", "reference"}
    assert old.latency[run.cases[0]].ratio("head", "base") is None
    assert old.latency[run.cases[0]].ratio("head", "fallback") == replace(ratio(below="fallback", median=0.5))
    assert not old.base_ran


def test_a_tolerance_that_head_loosens_is_heads_own_though_bases_outputs_are_held_against_it():
    loose = replace(kernel(), workloads=(workload(tolerance={"": Tolerance(atol=1.0)}),))
    held = right(bound=Bound(source="manifest", atol=1.0), accepts_zeros=True)
    run = with_comparisons(run_of(loose), (HEAD, held), (BASE, held))

    (old,) = judged(run)
    (new,) = judged(replace(run, base_kernels={"gemm": kernel()}))

    assert (old.rule, old.pre_existing) == ("check-too-loose", True)
    assert (new.rule, new.pre_existing) == ("check-too-loose", False)


def test_what_base_never_promised_excuses_nobody():
    declared = kernel(direction="both", workloads=())
    small = workload(targets=("cpu", "cuda"))
    backward = replace(case(), direction="backward")
    promised = {"gemm": replace(declared, workloads=(small,))}
    forward_alone = {"gemm": replace(promised["gemm"], direction="forward")}
    on_gpus_alone = {"gemm": replace(declared, workloads=(replace(small, targets=("cuda",)),))}
    failed = {(HEAD, backward): failure(), (BASE, backward): failure()}
    run = run_of(promised["gemm"], cases=(case(), backward), outcomes={**run_of().outcomes, **failed})

    def old_faults(base_kernels: Mapping[str, Kernel]) -> set[str]:
        found = judged(replace(run, base_kernels=base_kernels))
        return {f.name for f in found if f.rule == "does-not-run" and f.pre_existing}

    assert old_faults(promised) == {"gemm/small/backward"}
    assert old_faults(forward_alone) == set()
    assert old_faults(on_gpus_alone) == set()


def test_a_package_that_base_never_called_optional_excuses_no_fallback_that_needs_it():
    alone = drill()
    run = drilled(run_of(kernel(optional=("tilelang", "cuda"))), (alone, failure()))
    both = replace(run, outcomes={**run.outcomes, (of_base(alone.arm), case()): failure()})
    narrower = replace(both, base_kernels={"gemm": kernel(optional=("tilelang",))})

    assert [(f.rule, f.pre_existing) for f in judged(both)] == [("fallback-raises", True)]
    assert [(f.rule, f.pre_existing) for f in judged(narrower)] == [("fallback-raises", False)]


def test_base_that_is_right_by_a_wider_tolerance_of_its_own_excuses_nobody_and_is_told_apart():
    tight = kernel(workloads=())
    tight = replace(tight, workloads=(workload(tolerance={"": Tolerance(atol=1e-12)}),))
    run = with_comparisons(run_of(tight, base_kernels={"gemm": kernel()}), (HEAD, wrong()))

    (found,) = judged(run)

    assert (found.rule, found.pre_existing) == ("wrong-result", False)
    assert found.evidence["base"] == "is right here by its own tolerance, which is another one"


def test_as_base_knows_which_cases_base_was_not_asked_for():
    run = run_of()

    assert as_base(replace(run, not_in_base=frozenset(run.cases))).not_in_base == frozenset(run.cases)
