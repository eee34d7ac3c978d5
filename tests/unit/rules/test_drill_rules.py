"""What is said of a dispatch that meets a condition: once, of the condition, and not of what is wrong without it."""

from dataclasses import replace

import pytest

from kgate.model import FALLBACK, HEAD, SWITCH_OFF, SWITCH_ON, Level, Measurement, Outcome, Run, of_base
from tests.unit.builders import answer, case, drill, drilled, failure, judged, kernel, run_of, with_outcomes, wrong

CUSTOM = answer(reached_custom=1, reached_fallback=0, logged=False)
TOLD = answer(reached_custom=0, reached_fallback=1, logged=True)
SILENT = answer(reached_custom=0, reached_fallback=1, logged=False)
REFUSED = answer(reached_custom=1, reached_fallback=1, reached_custom_before=1, reached_custom_again=1, logged=True)
NEVER_TAKEN = answer(reached_custom=0, reached_fallback=1)
NOT_CALLED = answer(reached_custom=0, reached_fallback=1, logged=False, not_met="acme.gemm:fused was not called")
NOT_LOOKED_FOR = answer(
    reached_custom=1, reached_fallback=0, logged=False, not_noticed="nothing of the product's has looked for fast_ops"
)
HUNG = failure("hung", "gave no answer within 1 s (`timeout_s` of the manifest), and was ended")
LEFT_OUT = failure("unavailable", "left out, since acme.gemm:eager hung without it", rung="environment")
CRASH = failure("import-failed", "OSError: libdsl.so does not load", rung="import")


def latched(**more: int) -> Measurement:
    told = {"reached_custom_before": 1, "reached_custom_again": 0, **more}
    return answer(reached_custom=1, reached_fallback=1, logged=True, **told)


def under(outcome: Outcome | None, **changes: object) -> Run:
    return drilled(run_of(), (drill(**changes), outcome))


def said(run: Run) -> list[tuple[str, str, Level]]:
    return [(f.rule, f.name, f.level) for f in judged(run)]


@pytest.mark.parametrize("outcome", [TOLD, CUSTOM, REFUSED])
def test_nothing_is_said_of_a_right_answer_by_either_path(outcome: Outcome) -> None:
    assert said(under(outcome)) == []


def test_a_crash_where_the_kernel_cannot_run_blocks_and_names_the_condition() -> None:
    (finding,) = judged(under(CRASH))

    assert (finding.rule, finding.name, finding.blocks) == ("fallback-raises", "gemm (package-absent)", True)
    assert "where the package is absent, on workload small, does not import: OSError" in finding.sentence


def test_an_error_of_the_kernels_own_call_warns_and_blocks_where_the_policy_says_so() -> None:
    run = under(failure(), condition="out-of-memory", blocks=False)

    assert said(run) == [("fallback-raises", "gemm (out-of-memory)", Level.WARN)]
    assert [f.level for f in judged(run, {"fallback-raises": Level.FAIL})] == [Level.FAIL]


def test_a_wrong_answer_blocks_and_tells_the_path() -> None:
    run = under(TOLD)
    run = replace(run, comparisons={**run.comparisons, (drill().arm, case()): wrong()})

    (finding,) = judged(run)

    assert (finding.rule, finding.blocks, finding.evidence["path"]) == ("fallback-wrong", True, "fallback")


@pytest.mark.parametrize("other", [{}, {"reached_custom_other": 0}])
def test_a_kernel_that_never_comes_back_is_a_latch(other) -> None:
    run = under(latched(**other), condition="call-refused", blocks=False)

    assert said(run) == [("fallback-latched", "gemm (call-refused)", Level.FAIL)]


def test_a_flag_for_the_refused_shapes_alone_is_no_latch_and_the_advice_says_how_that_is_shown() -> None:
    kept = under(latched(reached_custom_other=1), condition="call-refused", blocks=False)
    (unseen,) = judged(under(latched(), condition="call-refused", blocks=False))

    assert said(kept) == []
    assert unseen.advice.endswith("alone; to show that, the manifest needs a workload of other shapes.")


def test_a_fallback_without_a_word_warns_only_where_the_kernel_would_have_run() -> None:
    never_taken = with_outcomes(run_of(), (SWITCH_ON, TOLD))
    policy = {"switch-without-effect": Level.OFF}

    assert said(under(SILENT)) == [("fallback-silent", "gemm (package-absent)", Level.WARN)]
    assert said(under(SILENT, logged=False)) == []
    assert [f.rule for f in judged(drilled(never_taken, (drill(), SILENT)), policy)] == []


def test_a_gradient_that_came_in_another_way_without_a_word_is_silent_though_no_fallback_was_called() -> None:
    failed = answer(reached_custom=1, reached_fallback=0, logged=False, failed_backward=["acme.kernels:launched"])

    (finding,) = judged(under(failed, condition="backward-raises", blocks=False))

    assert (finding.rule, finding.level) == ("fallback-silent", Level.WARN)
    assert "answers in another way without a word" in finding.sentence
    assert said(under(answer(reached_custom=1, reached_fallback=0, logged=False, failed_backward=[]))) == []


def test_a_switch_turned_off_later_that_does_nothing_is_without_effect() -> None:
    run = under(CUSTOM, condition="switch-off-later", logged=False)

    assert said(run) == [("switch-without-effect", "gemm (switch-off-later)", Level.FAIL)]


@pytest.mark.parametrize("outcome", [None, failure("unavailable", "triton has no such function", rung="environment")])
def test_a_condition_that_was_not_met_is_untested_and_blames_nobody(outcome: Outcome | None) -> None:
    (finding,) = judged(under(outcome))

    assert (finding.rule, finding.undecided, finding.blocks) == ("fallback-untested", True, True)


@pytest.mark.parametrize("arm", [HEAD, SWITCH_OFF, SWITCH_ON])
def test_what_fails_alike_without_the_condition_is_not_said_again(arm) -> None:
    run = drilled(with_outcomes(run_of(), (arm, failure())), (drill(), failure()))

    assert "gemm (package-absent)" not in {f.name for f in judged(run)}


def test_what_base_shows_under_the_same_condition_is_pre_existing() -> None:
    run = under(CRASH)
    base = {(of_base(drill().arm), case()): CRASH}

    (finding,) = judged(replace(run, outcomes={**run.outcomes, **base}))

    assert (finding.pre_existing, finding.blocks) == (True, False)


def test_another_condition_of_base_excuses_nothing() -> None:
    other = drill(condition="package-raises")
    run = drilled(run_of(), (drill(), CRASH), (other, TOLD))
    base = {(of_base(other.arm), case()): CRASH}

    assert [f.blocks for f in judged(replace(run, outcomes={**run.outcomes, **base}))] == [True]


def test_a_run_of_drills_alone_says_nothing_of_what_it_did_not_ask() -> None:
    run = replace(under(TOLD), latency={}, baseline=None, drills_only=True)
    unasked = {key: o for key, o in run.outcomes.items() if key[0] != HEAD}

    assert said(replace(run, outcomes=unasked)) == []


def test_a_kernel_without_a_switch_is_drilled_all_the_same() -> None:
    run = run_of(kernel(switch=None))

    rules = {f.rule for f in judged(drilled(run, (drill(), CRASH)))}

    assert rules == {"fallback-untested", "fallback-raises"}


@pytest.mark.parametrize(("rung", "level"), [("import", Level.FAIL), ("run", Level.WARN)])
def test_without_a_gpu_a_product_must_import_and_may_refuse_tensors_on_the_cpu(rung, level) -> None:
    run = under(failure("raised", "ValueError: x is not on a GPU", rung=rung), condition="no-gpu", logged=False)

    assert said(run) == [("fallback-raises", "gemm (no-gpu)", level)]


@pytest.mark.parametrize(
    ("outcome", "advice"),
    [
        (NOT_CALLED, "Find why acme.ops:gemm does not come to acme.gemm:fused here"),
        (NOT_LOOKED_FOR, "Name under `optional` what acme.ops:gemm can lack, spelt as in its imports."),
    ],
)
def test_a_condition_that_did_not_come_about_is_untested_and_says_what_to_mend(
    outcome: Measurement, advice: str
) -> None:
    (finding,) = judged(under(outcome))

    assert (finding.rule, finding.name, finding.undecided) == ("fallback-untested", "gemm (package-absent)", False)
    assert finding.blocks
    why = outcome.facts.get("not-met") or outcome.facts["not-noticed"]
    assert finding.sentence == f"acme.ops:gemm where the package is absent was not drilled, on workload small: {why}"
    assert finding.advice.startswith(advice)


def test_a_product_that_takes_another_path_has_noticed_the_condition_whatever_was_seen_of_it() -> None:
    noticed = answer(reached_custom=0, reached_fallback=1, logged=True, not_noticed="acme.gemm:fused was not called")

    assert said(under(noticed)) == []
    assert said(with_outcomes(under(noticed), (SWITCH_ON, NEVER_TAKEN))) == [
        ("switch-without-effect", "gemm/small", Level.FAIL)
    ]


@pytest.mark.parametrize("outcome", [NOT_CALLED, NOT_LOOKED_FOR])
def test_a_dispatch_that_never_comes_to_the_kernel_is_one_finding_also_where_nothing_but_drills_is_run(outcome) -> None:
    run = with_outcomes(under(outcome, condition="out-of-memory", blocks=False), (SWITCH_ON, NEVER_TAKEN))

    for drills_only in (False, True):
        assert said(replace(run, drills_only=drills_only)) == [("switch-without-effect", "gemm/small", Level.FAIL)]


def test_a_dispatch_that_comes_to_neither_path_leaves_open_whether_the_kernel_ran() -> None:
    run = with_outcomes(run_of(), (SWITCH_ON, answer(reached_custom=0, reached_fallback=0)))

    (finding,) = judged(run)

    assert (finding.rule, finding.undecided, finding.blocks) == ("switch-without-effect", True, True)
    assert "answers on workload small without calling acme.gemm:fused or acme.gemm:eager" in finding.sentence


@pytest.mark.parametrize("arm", [HEAD, SWITCH_ON])
def test_drills_alone_do_not_pass_where_the_kernel_cannot_run_here(arm) -> None:
    gone = failure("unavailable", "no module named tilelang", rung="environment")
    run = under(NOT_CALLED, condition="out-of-memory", blocks=False)
    run = with_outcomes(run, (SWITCH_ON, NEVER_TAKEN), (arm, gone))

    (finding,) = judged(replace(run, drills_only=True))

    assert (finding.rule, finding.undecided, finding.blocks) == ("fallback-untested", True, True)
    assert finding.evidence == {"without any condition": "it is unavailable here: no module named tilelang"}
    assert finding.advice.startswith("Install what is missing into the worker's interpreter")


@pytest.mark.parametrize("arm", [FALLBACK, SWITCH_OFF, SWITCH_ON])
def test_what_hangs_without_any_condition_is_said_once(arm) -> None:
    run = drilled(with_outcomes(run_of(), (arm, HUNG)), (drill(), LEFT_OUT), (drill(condition="package-raises"), None))

    (finding,) = [f for f in judged(run) if f.blocks]

    assert finding.name == "gemm/small"
    assert "`timeout_s` of the manifest" in finding.sentence


def test_what_was_left_out_after_it_hung_under_others_is_untested_in_its_own_words() -> None:
    left = failure("unavailable", "left out, since acme.ops:gemm hung under a and b", rung="environment")

    (finding,) = judged(under(left))

    assert (finding.rule, finding.undecided) == ("fallback-untested", True)
    assert finding.sentence.endswith(f"was not drilled, on workload small: {left.text}")
