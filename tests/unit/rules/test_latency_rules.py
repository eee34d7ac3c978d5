"""What the latency rules say of decisions that were taken elsewhere."""

import math
from dataclasses import replace

import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from kgate.model import (
    BASE,
    FALLBACK_TIMED,
    TIMED,
    Decision,
    Fingerprint,
    Level,
    Run,
    Verdict,
    verdict_of,
)
from kgate.rules import level_of
from kgate.rules.slower_than_baseline import predicted
from tests.unit.builders import (
    baseline,
    failure,
    judged,
    kernel,
    ratio,
    run_of,
    stored_case,
    with_comparisons,
    with_latency,
    with_outcomes,
    wrong,
)

OPEN = Decision.INCONCLUSIVE
ALONE = ratio(below="fallback", median=0.9)
PAYS = ratio(below="fallback", median=0.5)


def without_base(run: Run) -> Run:
    return replace(with_outcomes(run, (BASE, None)), base_ran=False)


def test_an_inconclusive_ratio_at_fail_is_no_verdict():
    findings = judged(with_latency(run_of(on_gpu=True), ratio(median=1.02, decision=OPEN), PAYS))

    assert [(f.rule, f.undecided) for f in findings] == [("slower-than-base", True)]
    assert verdict_of(findings) is Verdict.NO_VERDICT
    assert findings[0].sentence.endswith(
        "inconclusive after 8 launches: +2.0 %, neither shown above +3 % nor below +5 %; launches differ by 0.4 %"
    )
    assert "`--launches 16`" in findings[0].advice


def test_one_launch_has_no_interval_and_says_that_it_decides_nothing():
    few = "fewer than 3 launches decide nothing"
    alone = replace(ratio(median=1.02, decision=OPEN), low=0.0, high=math.inf, launches=1, spread=0.0, reason=few)

    (finding,) = judged(with_latency(run_of(on_gpu=True), alone, PAYS))

    assert finding.sentence.endswith("after 1 launch: +2.0 %, fewer than 3 launches decide nothing")
    assert finding.evidence["interval"] == "+2.0 % (1 launch)"
    assert "inf" not in " ".join(finding.evidence.values())


@pytest.mark.parametrize(("level", "verdict"), [(Level.WARN, Verdict.WARN), (Level.NOTE, Verdict.PASS)])
def test_an_inconclusive_ratio_below_fail_is_a_finding_of_that_level(level, verdict):
    run = with_latency(run_of(), ratio(median=1.02, decision=OPEN), PAYS)

    findings = judged(run, {"slower-than-base": level})

    assert [(f.rule, f.level) for f in findings] == [("slower-than-base", level)]
    assert verdict_of(findings) is verdict


def test_slower_than_base_says_by_how_much_with_interval_and_launches():
    findings = judged(with_latency(run_of(on_gpu=True), ratio(median=1.1, decision=Decision.SLOWER)))

    assert (
        "slower than at base: +10.0 % (95 %: +8.9 … +11.1 %, 8 launches), decided against +3 %" in findings[0].sentence
    )
    assert findings[0].evidence["head"] == "10.0 µs"


def test_base_that_ran_and_was_not_timed_leaves_the_question_open():
    findings = judged(with_latency(run_of(on_gpu=True), ALONE))

    assert [(f.rule, f.undecided) for f in findings] == [("slower-than-base", True)]


@pytest.mark.parametrize(
    ("outcome", "why"),
    [
        (failure("outside-tree", "acme is /usr/lib/acme.py"), "was loaded from outside its tree: acme is /usr/lib"),
        (failure("unavailable", "no tilelang"), "is unavailable here: no tilelang"),
        (failure("hung", "passed its deadline of 120 s"), "hung: passed its deadline"),
        (failure("bad-reply", "not a reply"), "broke the worker's protocol: not a reply"),
        (None, "it was not run"),
    ],
)
def test_a_base_that_could_not_be_measured_is_no_verdict(outcome, why):
    run = with_latency(with_outcomes(run_of(on_gpu=True), (BASE, outcome)), PAYS)

    findings = judged(run)

    assert [(f.rule, f.undecided) for f in findings] == [("slower-than-base", True)]
    assert f"base could not be measured on workload small: {why}" in findings[0].sentence
    assert verdict_of(findings) is Verdict.NO_VERDICT


@pytest.mark.parametrize(
    ("reason", "advice"),
    [
        ("hung", "Run the same command again, which tries base anew."),
        ("outside-tree", "Mend what keeps base from answering."),
    ],
)
def test_to_run_again_is_advised_only_where_base_is_tried_again(reason, advice):
    run = with_latency(with_outcomes(run_of(on_gpu=True), (BASE, failure(reason))), PAYS)

    (finding,) = judged(run)

    assert finding.advice.startswith(advice)


def test_a_base_whose_answer_was_compared_with_nothing_is_no_verdict_whatever_its_times():
    run = with_comparisons(run_of(on_gpu=True), (BASE, ()))

    findings = judged(run)

    assert [(f.rule, f.undecided) for f in findings] == [("slower-than-base", True)]
    assert "compared with nothing" in findings[0].sentence


def test_a_base_that_is_not_asked_on_purpose_leaves_no_question():
    needed = kernel(production_operator="torch.mm", evidence_profile="profile.json")
    run = with_latency(with_outcomes(run_of(needed, on_gpu=True), (BASE, None)), PAYS)

    assert judged(replace(run, not_in_base=frozenset(run.cases))) == ()
    assert judged(replace(run, base_kernels={})) == ()


def test_latency_rules_are_notes_on_a_cpu_unless_the_policy_names_them():
    assert level_of("slower-than-base", {}, on_gpu=False) is Level.NOTE
    assert level_of("slower-than-base", {}, on_gpu=True) is Level.FAIL
    assert level_of("slower-than-base", {"slower-than-base": Level.FAIL}, on_gpu=False) is Level.FAIL
    assert level_of("no-baseline", {}, on_gpu=False) is Level.NOTE
    assert level_of("wrong-result", {}, on_gpu=False) is Level.FAIL


def test_a_kernel_that_misses_the_speed_up_that_the_manifest_asks_for_is_told_both():
    short = replace(ratio(below="fallback", median=0.9, decision=Decision.SLOWER), wanted=1.2)
    run = with_latency(run_of(kernel(min_speedup=1.2)), ratio(), short)

    (finding,) = (f for f in judged(run) if f.rule == "slower-than-fallback")

    assert not finding.undecided
    assert "is 1.11× as fast as the fallback" in finding.sentence
    assert finding.sentence.endswith("the manifest asks for 1.20×, decided against -14.2 %")  # 1.03 / 1.2


def test_a_baseline_decides_where_no_base_ran():
    run = with_latency(without_base(run_of(on_gpu=True)), ALONE, head_ns=13_000.0)

    findings = judged(run, {"slower-than-baseline": Level.FAIL})

    assert [(f.rule, f.level) for f in findings] == [("slower-than-baseline", Level.FAIL)]
    assert "+30.0 %, 10.0 µs → 13.0 µs" in findings[0].sentence


def test_a_baseline_is_a_note_where_base_ran_or_the_fingerprint_differs():
    policy = {"slower-than-baseline": Level.FAIL}
    live = with_latency(run_of(), ratio(), head_ns=13_000.0)
    other = replace(
        with_latency(without_base(run_of()), ALONE, head_ns=13_000.0),
        fingerprint=Fingerprint(must_match={"gpu": "none", "torch": "2.12"}),
    )

    slow_day = {"head": 13_000.0, "base": 13_000.0, "fallback": 26_000.0}
    live = replace(live, latency={c: replace(found, median_ns=slow_day) for c, found in live.latency.items()})

    for run, reason in ((live, "base was measured live"), (other, "torch 2.11 → 2.12")):
        found = next(f for f in judged(run, policy) if f.rule == "slower-than-baseline")
        assert found.level is Level.NOTE
        assert reason in found.sentence


@pytest.mark.parametrize("outcome", [failure(), failure("hung", "passed its deadline")])
def test_a_baseline_decides_beside_a_base_that_gave_no_right_answer(outcome):
    policy = {"slower-than-baseline": Level.FAIL}
    run = with_latency(with_outcomes(run_of(on_gpu=True), (BASE, outcome)), ratio(), PAYS, head_ns=13_000.0)
    wrong_base = with_latency(with_comparisons(run_of(on_gpu=True), (BASE, wrong())), ratio(), PAYS, head_ns=13_000.0)

    for judged_run in (run, wrong_base):
        found = next(f for f in judged(judged_run, policy) if f.rule == "slower-than-baseline")
        assert found.level is Level.FAIL
        assert found.sentence.endswith("no right base was measured beside it, so the baseline decides")


@given(launches=st.integers(2, 60), spread=st.floats(0.001, 0.5))
def test_what_a_baseline_predicts_is_scipys_bound_for_one_more_launch(launches, spread):
    stored = replace(stored_case(), launches=launches, spread_log=spread)

    t = scipy.stats.t.ppf(0.99, launches - 1)

    assert predicted(stored) == pytest.approx(math.exp(t * spread * math.sqrt(1 + 1 / launches)), rel=1e-6)


def test_a_fallback_that_no_launch_timed_leaves_the_question_of_its_worth_open():
    findings = judged(with_latency(run_of(on_gpu=True), ratio()))

    assert [(f.rule, f.level, f.undecided) for f in findings] == [("slower-than-fallback", Level.WARN, True)]
    assert "acme.gemm:eager could not be timed on workload small" in findings[0].sentence


def test_a_fallback_that_dies_in_the_timed_loop_is_said_once():
    dead = with_outcomes(run_of(on_gpu=True), (FALLBACK_TIMED, failure("died", "signal 11", rung="latency")))

    findings = judged(with_latency(dead, ratio()))

    assert [f.rule for f in findings] == ["fallback-raises"]
    assert "acme.gemm:eager on workload small in the timed loop died: signal 11" in findings[0].sentence


def test_a_fallback_that_cannot_be_had_in_the_timed_loop_leaves_its_question_open():
    gone = with_outcomes(run_of(on_gpu=True), (FALLBACK_TIMED, failure("unavailable", "no cuda", rung="latency")))

    findings = judged(with_latency(gone, ratio()))

    assert [(f.rule, f.undecided) for f in findings] == [("slower-than-fallback", True)]
    assert "in the timed loop it is unavailable here: no cuda" in findings[0].sentence


def test_a_timed_kernel_whose_timed_calls_were_not_compared_is_a_note_and_never_more():
    run = with_comparisons(run_of(on_gpu=True), (TIMED, ()))

    for policy in ({}, {"not-measured": Level.FAIL}):
        findings = judged(run, policy)
        assert [(f.rule, f.level) for f in findings] == [("not-measured", Level.NOTE)]
        assert "no timed call of acme.gemm:fused on workload small was compared" in findings[0].sentence
        assert verdict_of(findings) is Verdict.PASS
    assert judged(run, {"not-measured": Level.OFF}) == ()


def test_a_baseline_from_another_timer_decides_nothing():
    run = with_latency(without_base(run_of(baseline=baseline(method="cuda-events-flush"))), ALONE, head_ns=13_000.0)

    found = next(f for f in judged(run, {"slower-than-baseline": Level.FAIL}) if f.rule == "slower-than-baseline")

    assert found.level is Level.NOTE
    assert found.sentence.endswith("recorded by another timer than cpu-monotonic, so it decides nothing")


def test_a_case_of_a_baseline_is_held_to_the_timer_that_it_names_itself():
    stored = {"gemm/small": replace(stored_case(), method="cuda-graph-rotated")}
    run = with_latency(without_base(run_of(baseline=baseline(stored))), ALONE, head_ns=13_000.0)

    found = next(f for f in judged(run, {"slower-than-baseline": Level.FAIL}) if f.rule == "slower-than-baseline")

    assert found.level is Level.NOTE
    assert found.sentence.endswith("recorded by another timer than cpu-monotonic, so it decides nothing")


def test_why_no_launch_timed_a_case_is_said():
    run = run_of()
    run = replace(run, latency={}, void=dict.fromkeys(run.cases, "head: impossible: 1.00 µs"))

    (found,) = [f for f in judged(run, {}) if f.rule == "not-measured"]

    assert found.undecided
    assert found.sentence.endswith("is right, and no launch timed it: head: impossible: 1.00 µs")


def test_a_noisy_baseline_asks_for_more_than_fifteen_percent():
    noisy = baseline({"gemm/small": replace(stored_case(), spread_log=0.2)})
    run = with_latency(without_base(run_of(baseline=noisy)), ALONE, head_ns=13_000.0)

    assert [f.rule for f in judged(run)] == []


def test_a_base_that_does_not_run_leaves_no_latency_finding():
    run = with_latency(with_outcomes(run_of(on_gpu=True), (BASE, failure())), ALONE)

    assert judged(run) == ()
