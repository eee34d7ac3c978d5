"""One fault, one blocking finding, by the rule that names it best."""

from dataclasses import replace

import pytest

from kgate.model import (
    BASE,
    FALLBACK,
    HEAD,
    REFERENCE,
    SWITCH_OFF,
    SWITCH_ON,
    TIMED,
    Decision,
    Level,
    Run,
    Verdict,
    of_base,
    verdict_of,
)
from tests.unit.builders import (
    answer,
    failure,
    judged,
    kernel,
    misshapen,
    ratio,
    run_of,
    with_comparisons,
    with_latency,
    with_outcomes,
    wrong,
)

MODULE = failure("import-failed", "ModuleNotFoundError: No module named 'acme.tiles'", rung="import")


def blocking(run: Run) -> list[str]:
    return [f.rule for f in judged(run) if f.blocks]


@pytest.mark.parametrize(
    ("run", "rule"),
    [
        (with_outcomes(run_of(), (HEAD, failure())), "does-not-run"),
        (with_outcomes(run_of(), (HEAD, failure("hung", "passed its deadline of 120 s"))), "does-not-run"),
        (with_outcomes(run_of(), (HEAD, failure("wrong-type", "returned None", rung="contract"))), "contract-broken"),
        (with_outcomes(run_of(), (TIMED, failure("died", "signal 11", rung="latency"))), "does-not-run"),
        (with_outcomes(run_of(), (SWITCH_ON, failure("raised", "TypeError: stream"))), "does-not-run"),
        (with_outcomes(run_of(), *[(arm, MODULE) for arm in (HEAD, FALLBACK, SWITCH_OFF, SWITCH_ON)]), "does-not-run"),
        (with_outcomes(run_of(), (HEAD, failure("unavailable")), (SWITCH_OFF, failure("unavailable"))), "not-measured"),
        (with_comparisons(run_of(), (HEAD, wrong())), "wrong-result"),
        (with_comparisons(run_of(), (TIMED, wrong())), "wrong-result"),
        (with_comparisons(run_of(), (SWITCH_ON, wrong())), "wrong-result"),
        (with_comparisons(run_of(), (SWITCH_ON, misshapen())), "contract-broken"),
        (with_outcomes(run_of(), (SWITCH_ON, answer(reached_custom=1, inputs_changed=["x"]))), "contract-broken"),
        (with_comparisons(run_of(), (FALLBACK, misshapen())), "fallback-wrong"),
        (with_comparisons(run_of(), (HEAD, misshapen())), "contract-broken"),
        (with_outcomes(run_of(), (HEAD, answer(inputs_changed=["x"]))), "contract-broken"),
        (with_outcomes(run_of(), *[(arm, failure()) for arm in (FALLBACK, REFERENCE, SWITCH_OFF)]), "fallback-raises"),
        (with_outcomes(run_of(), (SWITCH_OFF, failure("died", "signal 6"))), "fallback-raises"),
        (with_outcomes(run_of(), (FALLBACK, failure("wrong-type", "returned a list"))), "fallback-wrong"),
        (with_comparisons(run_of(), (SWITCH_OFF, wrong())), "fallback-wrong"),
        (with_comparisons(run_of(), (FALLBACK, wrong()), (SWITCH_OFF, wrong())), "fallback-wrong"),
        (
            with_comparisons(
                with_outcomes(run_of(), (SWITCH_OFF, answer(reached_custom=1))), (HEAD, wrong()), (SWITCH_OFF, wrong())
            ),
            "wrong-result",
        ),
        (with_outcomes(run_of(), (SWITCH_ON, answer(reached_fallback=1))), "switch-without-effect"),
        (with_outcomes(run_of(), (SWITCH_OFF, answer(reached_custom=0, reached_fallback=0))), "fallback-untested"),
        (with_outcomes(run_of(), (SWITCH_OFF, None)), "fallback-untested"),
    ],
)
def test_a_fault_is_blamed_by_the_right_rule(run, rule):
    rules = blocking(run)

    assert rules[0] == rule


def test_a_wrong_and_switched_kernel_is_two_faults_and_nothing_more():
    drilled = with_outcomes(run_of(), (SWITCH_OFF, answer(reached_custom=1)))
    run = with_comparisons(drilled, (HEAD, wrong()), (SWITCH_OFF, wrong()))

    assert blocking(run) == ["wrong-result", "switch-without-effect"]


@pytest.mark.parametrize(
    "run",
    [
        with_outcomes(run_of(), (HEAD, failure())),
        with_outcomes(run_of(), *[(arm, MODULE) for arm in (HEAD, FALLBACK, SWITCH_OFF, SWITCH_ON)]),
        with_outcomes(run_of(), *[(arm, failure()) for arm in (FALLBACK, REFERENCE, SWITCH_OFF)]),
        with_outcomes(run_of(), (FALLBACK, failure()), (SWITCH_OFF, None)),
        with_comparisons(run_of(), (HEAD, wrong()), (TIMED, wrong())),
        with_comparisons(run_of(), (HEAD, wrong()), (SWITCH_ON, wrong())),
        with_comparisons(run_of(), (TIMED, wrong()), (SWITCH_ON, misshapen())),
        with_comparisons(with_outcomes(run_of(), (SWITCH_ON, answer(reached_fallback=1))), (SWITCH_ON, wrong())),
        with_outcomes(run_of(), (HEAD, failure("unavailable")), (SWITCH_OFF, failure("unavailable"))),
        with_outcomes(run_of(), (HEAD, failure("outside-tree", "acme is /usr/lib/acme.py")), (SWITCH_OFF, None)),
    ],
)
def test_one_fault_blocks_once(run):
    assert len(blocking(run)) == 1


def test_a_kernel_that_is_wrong_is_not_called_slow():
    slow = with_latency(run_of(on_gpu=True), ratio(median=2.0, decision=Decision.SLOWER))

    assert blocking(with_comparisons(slow, (HEAD, wrong()))) == ["wrong-result"]
    assert blocking(slow) == ["slower-than-base"]


def test_a_wrong_base_is_no_rival_in_speed():
    slow = with_latency(run_of(on_gpu=True), ratio(median=2.0, decision=Decision.SLOWER))

    assert blocking(with_comparisons(slow, (BASE, wrong()))) == []


def test_a_right_kernel_without_a_time_is_no_verdict():
    findings = judged(run_of(latency={}))

    assert [f.rule for f in findings if f.blocks] == ["not-measured"]
    assert verdict_of(findings) is Verdict.NO_VERDICT


def test_an_answer_that_was_compared_with_nothing_is_no_verdict():
    run = with_outcomes(run_of(), (REFERENCE, failure("narrowed", "aten::mm in bfloat16")))
    findings = judged(run_of(outcomes=run.outcomes, comparisons={}))

    assert [f.rule for f in findings if f.blocks] == ["not-measured"]
    assert "`reference:` is required" in next(f.sentence for f in findings if f.rule == "no-reference")
    assert verdict_of(findings) is Verdict.NO_VERDICT


def test_a_run_without_cases_is_no_verdict():
    findings = judged(run_of(kernel(workloads=())))

    assert verdict_of(findings) is Verdict.NO_VERDICT
    assert findings[0].name == "run"


def test_an_import_that_fails_names_module_interpreter_and_last_line():
    finding = judged(with_outcomes(run_of(), (HEAD, MODULE)))[0]

    expected = "acme.gemm does not import under .venv/bin/python: ModuleNotFoundError: No module named 'acme.tiles'"
    assert finding.sentence == expected


def test_a_wrong_result_names_index_both_values_and_bound():
    finding = judged(with_comparisons(run_of(), (HEAD, wrong())))[0]

    assert finding.sentence.endswith(
        "row error 3.5, at most 1e-05 allowed; 4096 of 8192 elements outside the bound, the worst at [3, 17]: 4.5, "
        "expected 1.0"
    )
    assert finding.owners == ("@acme/kernels",)


def test_the_evidence_of_a_wrong_result_repeats_no_number_of_its_sentence():
    (finding,) = judged(with_comparisons(run_of(), (HEAD, wrong())))

    assert finding.evidence == {
        "bound": "derived from the fallback's own error",
        "relative_l2": "0.250, at most 1e-06 allowed",
        "base": "is right here",
    }


def test_a_mismatch_that_names_its_output_is_not_named_twice():
    named = replace(misshapen()[0], mismatch="output 0 is float32, the fallback gives bfloat16")

    (finding,) = judged(with_comparisons(run_of(), (HEAD, (named,))))

    assert finding.sentence == "acme.gemm:fused on workload small, output 0 is float32, the fallback gives bfloat16"


def test_elements_off_are_counted_and_placed_once():
    off = "4096 of 8192 elements are off by more than 0.1, the worst at [3, 17]: 4.5, expected 1.0"

    (finding,) = judged(with_comparisons(run_of(), (HEAD, (replace(wrong()[0], broken=(off,)),))))

    assert finding.sentence.count("4096 of 8192") == finding.sentence.count("[3, 17]") == 1


@pytest.mark.parametrize(("compared", "words"), [(wrong(), "differs from"), (misshapen(), "another form")])
def test_a_dispatch_that_spoils_a_right_kernel_is_named_itself(compared, words):
    (finding,) = judged(with_comparisons(run_of(), (SWITCH_ON, compared)))

    assert finding.sentence.startswith("acme.ops:gemm with the switch on, on workload small,")
    assert words in finding.sentence
    assert "acme.gemm:fused by itself" in finding.sentence


def test_a_dispatch_that_base_spoils_in_the_same_way_blocks_nobody():
    run = with_outcomes(run_of(), (of_base(SWITCH_ON), answer(reached_custom=1)))

    (finding,) = judged(with_comparisons(run, (SWITCH_ON, wrong()), (of_base(SWITCH_ON), wrong())))

    assert (finding.rule, finding.pre_existing) == ("wrong-result", True)


def test_a_fallback_in_another_form_than_base_s_is_said_so():
    run = with_comparisons(run_of(), (FALLBACK, misshapen()))

    (finding,) = judged(run)
    (new,) = judged(replace(run, not_in_base=frozenset(run.cases)))

    assert "the fallback acme.gemm:eager on workload small answers in another form than at base" in finding.sentence
    assert "answers in another form than the reference" in new.sentence


@pytest.mark.parametrize(
    ("off", "on", "words"),
    [
        ("custom", "custom", "check `switch.env` in kgate.yaml (ACME_FUSED: does the code read this name?)"),
        ("custom", "fallback", "The two values look swapped: with ACME_FUSED=1 it runs acme.gemm:eager"),
        ("custom", "", "read the switch before it chooses"),
        ("fallback", "fallback", "check `switch.env` in kgate.yaml (ACME_FUSED: does the code read this name?)"),
    ],
)
def test_a_switch_without_effect_names_the_likely_cause_at_the_kernel_s_line(off, on, words):
    drilled = [(arm, answer(**{f"reached_{to}": 1})) for arm, to in ((SWITCH_OFF, off), (SWITCH_ON, on))]

    (finding,) = (f for f in judged(with_outcomes(run_of(), *drilled)) if f.rule == "switch-without-effect")

    assert words in finding.advice
    assert finding.place == run_of().kernels["gemm"].place


def test_a_fallback_that_is_missing_is_not_called_untested_too():
    gone = failure("function-missing", "acme.gemm has no 'eager'")
    around = answer(reached_custom=0, reached_fallback=0)

    findings = judged(with_outcomes(run_of(), (FALLBACK, gone), (SWITCH_OFF, around)))

    assert [f.rule for f in findings] == ["fallback-missing"]


def test_a_drill_that_could_not_see_which_path_ran_leaves_the_question_open():
    finding = judged(with_outcomes(run_of(), (SWITCH_OFF, answer(note="a built-in"))))[0]

    assert (finding.rule, finding.undecided) == ("fallback-untested", True)
    assert finding.evidence == {"note": "a built-in"}


def test_three_workloads_are_three_findings():
    run = with_comparisons(run_of(kernel(workloads=("a", "b", "c"))), (HEAD, wrong()))

    names = [f.name for f in judged(run)]

    assert names == ["gemm/a", "gemm/b", "gemm/c"]


def test_the_worst_comes_first_and_unknown_before_warnings():
    healthy = run_of(kernel("a"), kernel("b"), baseline=None, on_gpu=True)
    (first, second) = healthy.cases
    outcomes = {**healthy.outcomes, (HEAD, first): failure("unavailable"), (HEAD, second): failure()}

    order = [(f.rule, f.level, f.undecided) for f in judged(replace(healthy, outcomes=outcomes))]

    assert order[0] == ("does-not-run", Level.FAIL, False)
    assert order[1] == ("not-measured", Level.FAIL, True)


def test_a_case_that_is_checked_only_is_not_missed_among_the_times() -> None:
    run = run_of()
    untimed = replace(run, latency={}, comparisons={k: c for k, c in run.comparisons.items() if k[0] != TIMED})

    assert blocking(untimed) == ["not-measured"]
    assert judged(replace(untimed, checked_only=frozenset(run.cases), baseline=None), {"no-baseline": Level.OFF}) == ()
