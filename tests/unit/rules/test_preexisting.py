"""A change answers for what it changes."""

from dataclasses import replace

from kgate.model import (
    BASE,
    FALLBACK,
    HEAD,
    SWITCH_OFF,
    Decision,
    Ownership,
    Verdict,
    of_base,
    verdict_of,
)
from kgate.rules import as_base
from tests.unit.builders import (
    answer,
    failure,
    judged,
    kernel,
    ratio,
    run_of,
    with_comparisons,
    with_latency,
    with_outcomes,
    wrong,
)


def test_what_fails_in_base_as_well_is_shown_and_does_not_block():
    findings = judged(with_outcomes(run_of(), (HEAD, failure()), (BASE, failure(text="another text"))))

    assert [(f.rule, f.pre_existing) for f in findings] == [("does-not-run", True)]
    assert verdict_of(findings) is Verdict.WARN


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

    assert {f.rule for f in findings} == {"owner-missing", "fallback-untested"}
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


def test_as_base_knows_which_cases_base_was_not_asked_for():
    run = run_of()

    assert as_base(replace(run, not_in_base=frozenset(run.cases))).not_in_base == frozenset(run.cases)
