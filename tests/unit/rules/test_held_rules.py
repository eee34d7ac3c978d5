"""What a change is held to, as the rules see it: loosened values, old faults, kernels without an entry."""

from dataclasses import replace

import pytest

from kgate.model import (
    BASE,
    FALLBACK,
    HEAD,
    SWITCH_OFF,
    SWITCH_ON,
    Amendment,
    Found,
    Ignored,
    Inventory,
    Level,
    Owed,
    Ownership,
    Place,
    Run,
    Terms,
    Tree,
    Verdict,
    of_base,
    verdict_of,
)
from tests.unit.builders import (
    answer,
    failure,
    judged,
    kernel,
    right,
    run_of,
    with_comparisons,
    with_outcomes,
    wrong,
)

AT = Place(path="kgate.yaml", line=30)
LOOSER = Amendment(
    kind="loosened",
    what="tolerance",
    kernel="gemm",
    workload="small",
    before="rtol 0.01",
    after="rtol 0.02",
    owners=("@acme/kernels", "@ada"),
    place=AT,
)
OWED = Owed(
    rule="does-not-run",
    scope="case",
    name="gemm/small",
    owner="@ada",
    expires="2027-01-31",
    place=Place(path="kgate-debt.yaml", line=5),
)


def held(**terms: object) -> Run:
    return run_of(terms=Terms(**terms))


def rules_of(run: Run) -> list[tuple[str, str, bool]]:
    return [(f.rule, f.name, f.blocks) for f in judged(run)]


@pytest.mark.parametrize("kind", ["loosened", "removed", "moved"])
def test_what_asks_less_blocks_and_names_base_owners_to_ask(kind):
    (finding,) = judged(held(amendments=(replace(LOOSER, kind=kind),)))

    assert (finding.rule, finding.name, finding.blocks) == ("gate-loosened", "gemm/small (tolerance)", True)
    assert finding.owners == ("@acme/kernels", "@ada")
    assert "rtol 0.01 → rtol 0.02" in finding.sentence


@pytest.mark.parametrize("kind", ["tightened", "added", "renamed"])
def test_what_asks_more_or_the_same_under_another_name_says_nothing(kind):
    assert judged(held(amendments=(replace(LOOSER, kind=kind),))) == ()


@pytest.mark.parametrize(
    ("names", "blocks"), [((), True), (("@mallory",), True), (("@Ada",), False), (("@mallory", "@acme/kernels"), False)]
)
def test_an_owner_of_base_turns_it_into_a_warning_and_nobody_else_does(names, blocks):
    (finding,) = judged(held(amendments=(LOOSER,), approved_by=names))

    assert finding.blocks == blocks
    assert finding.level is (Level.FAIL if blocks else Level.WARN)


def test_where_nobody_owns_what_is_changed_anybody_may_approve():
    (finding,) = judged(held(amendments=(replace(LOOSER, owners=()),), approved_by=("@somebody",)))

    assert not finding.blocks


def test_without_a_manifest_in_base_the_verdict_is_a_warning_at_best():
    findings = judged(held(unheld=True))

    assert [(f.rule, f.level) for f in findings] == [("gate-loosened", Level.WARN)]
    assert verdict_of(findings) is Verdict.WARN


@pytest.mark.parametrize(("approved_by", "policy"), [(("@ada",), {}), ((), {"gate-loosened": Level.WARN})])
def test_a_removed_entry_that_blocks_nobody_hides_no_kernel_that_has_no_entry_any_more(approved_by, policy):
    gone = Amendment(kind="removed", what="entry", kernel="norm", before="acme.norm:fused", owners=("@ada",))
    found = Found(name="_gelu", place=Place(path="acme/gelu.py", line=3), how="triton.jit")
    before = Inventory(found=(replace(found, listed=True),))
    run = held(amendments=(gone,), inventory=Inventory(found=(found,)), base_inventory=before, approved_by=approved_by)

    assert [f.rule for f in judged(run, policy) if f.blocks] == ["kernel-unlisted"]


def test_a_removed_entry_is_told_once_and_to_its_owners():
    gone = Amendment(kind="removed", what="entry", kernel="norm", before="acme.norm:fused", owners=("@ada",))
    found = Found(name="_norm", place=Place(path="acme/norm.py", line=3), how="triton.jit")
    before = Inventory(found=(replace(found, listed=True),))
    run = held(amendments=(gone,), inventory=Inventory(found=(found,)), base_inventory=before)

    assert rules_of(run) == [("gate-loosened", "norm (entry)", True)]
    assert judged(run)[0].owners == ("@ada",)


def test_an_old_fault_is_shown_with_its_day_and_blocks_nobody():
    run = with_outcomes(replace(held(debt=(OWED,)), base_kernels={}, base_ran=False), (HEAD, failure()))

    (finding,) = judged(run)

    assert (finding.rule, finding.pre_existing, finding.blocks) == ("does-not-run", True, False)
    assert finding.evidence["debt"] == "kgate-debt.yaml:5: @ada until 2027-01-31"
    assert verdict_of((finding,)) is Verdict.WARN


def test_an_entry_for_a_fault_that_base_is_without_hides_none_that_a_change_makes():
    run = with_outcomes(held(debt=(OWED,)), (HEAD, failure()))

    (finding,) = judged(run)

    assert (finding.rule, finding.blocks) == ("does-not-run", True)
    assert finding.evidence["debt"].endswith("it does not count, since base is without this fault")


@pytest.mark.parametrize("arm", [failure("unavailable"), failure(), None], ids=["not here", "fails", "not asked"])
def test_where_base_does_not_answer_either_what_is_owed_counts(arm):
    run = with_outcomes(held(debt=(OWED,)), (HEAD, failure()), (BASE, arm))

    assert [f.pre_existing for f in judged(run) if f.rule == "does-not-run"] == [True]


@pytest.mark.parametrize(
    ("rule", "broken"),
    [
        ("wrong-result", lambda run: with_comparisons(run, (HEAD, wrong()))),
        ("fallback-raises", lambda run: with_outcomes(run, (FALLBACK, failure()))),
        ("switch-without-effect", lambda run: with_outcomes(run, (SWITCH_OFF, answer(reached_custom=1)))),
    ],
)
def test_what_base_was_asked_and_answers_rightly_is_no_old_fault(rule, broken):
    arms = (FALLBACK, SWITCH_OFF, SWITCH_ON)
    asked = with_outcomes(held(debt=(replace(OWED, rule=rule),)), *((of_base(arm), answer()) for arm in arms))
    asked = with_comparisons(asked, *((of_base(arm), right()) for arm in arms))
    run = broken(asked)
    unasked = replace(run, outcomes={k: o for k, o in run.outcomes.items() if k[0].tree is not Tree.BASE})

    assert [f.pre_existing for f in judged(run) if f.rule == rule] == [False]
    assert [f.pre_existing for f in judged(unasked) if f.rule == rule] == [True]


def test_owners_that_base_has_are_no_old_fault_however_it_is_written_down():
    owed = replace(OWED, rule="owner-missing", scope="kernel", name="gemm")
    run = run_of(kernel(owners=()), base_kernels={"gemm": kernel()}, terms=Terms(debt=(owed,)))
    new = replace(run, base_kernels={}, base_ownership={})
    owned = replace(run, base_ownership={"gemm": Ownership(owners=("@acme/kernels",))})

    assert [f.pre_existing for f in judged(owned) if f.rule == "owner-missing"] == [False]
    assert [f.pre_existing for f in judged(new) if f.rule == "owner-missing"] == [True]


def test_a_fault_that_is_not_owed_blocks_beside_one_that_is():
    run = run_of(kernel("gemm"), kernel("norm"), base_kernels={}, terms=Terms(debt=(OWED,)))

    assert [name for _, name, blocks in rules_of(with_outcomes(run, (HEAD, failure()))) if blocks] == ["norm/small"]


def test_an_old_fault_past_its_day_blocks_with_its_owner():
    run = with_outcomes(held(debt=(replace(OWED, expires="2026-10-06"),)), (HEAD, failure()), (BASE, None))

    blocking = [f for f in judged(run) if f.blocks]

    assert [(f.rule, f.name, f.owners) for f in blocking] == [
        ("debt-expired", "gemm/small (does-not-run)", ("@ada",)),
    ]


def test_a_new_fault_under_the_name_of_one_that_was_due_is_told_as_a_new_one_alone():
    run = with_outcomes(held(debt=(replace(OWED, expires="2026-10-06"),)), (HEAD, failure()))

    assert [f.rule for f in judged(run) if f.blocks] == ["does-not-run"]


def test_an_entry_whose_fault_is_mended_says_nothing_whatever_its_day():
    assert judged(held(debt=(replace(OWED, expires="2020-01-01"),))) == ()


KERNEL = Found(name="_gelu", place=Place(path="acme/gelu.py", line=7), how="triton.jit", owners=("@acme/kernels",))


def test_a_kernel_without_an_entry_blocks_the_change_that_adds_it_and_no_other():
    new = held(inventory=Inventory(found=(KERNEL,)), base_inventory=Inventory())
    old = held(inventory=Inventory(found=(KERNEL,)), base_inventory=Inventory(found=(KERNEL,)))

    assert rules_of(new) == [("kernel-unlisted", "acme/gelu.py:_gelu", True)]
    assert rules_of(old) == [("kernel-unlisted", "acme/gelu.py:_gelu", False)]
    assert judged(new)[0].owners == ("@acme/kernels",)


def test_without_a_base_nobody_can_tell_what_a_change_adds_so_it_warns():
    (finding,) = judged(held(inventory=Inventory(found=(KERNEL,))))

    assert finding.level is Level.WARN


@pytest.mark.parametrize(("expires", "said"), [("2026-10-07", 0), ("2026-10-06", 1), ("soon", 1)])
def test_an_ignored_kernel_is_passed_over_until_its_day(expires, said):
    line = Ignored(pattern="acme/", reason="shown only", expires=expires, place=AT)
    run = held(inventory=Inventory(found=(replace(KERNEL, ignored=line),)), base_inventory=Inventory())

    assert len(judged(run)) == said


def test_custom_and_fallback_that_are_one_are_no_way_out():
    run = run_of(kernel(fallback="acme.gemm:fused"), base_kernels={})

    assert ("fallback-missing", "gemm", True) in rules_of(run)


def test_a_kernel_left_without_an_owner_is_blamed_once_and_told_to_whom_it_had():
    gone = replace(LOOSER, kind="removed", what="owners", workload="", before="@acme/kernels")
    run = run_of(kernel(owners=()), base_kernels={"gemm": kernel()}, terms=Terms(amendments=(gone,)))

    (finding,) = judged(run)

    assert (finding.rule, finding.owners) == ("owner-missing", ("@acme/kernels",))


def test_owners_that_were_removed_are_missed_also_where_owner_missing_says_nothing():
    gone = replace(LOOSER, kind="removed", what="owners", workload="", before="@acme/kernels")
    run = run_of(kernel(owners=()), base_kernels={"gemm": kernel()}, terms=Terms(amendments=(gone,)))

    found = judged(run, {"owner-missing": Level.OFF})

    assert [(f.rule, f.blocks) for f in found] == [("gate-loosened", True)]


def test_an_edited_fallback_blocks_also_where_base_own_fallback_fails_alike():
    edited = replace(LOOSER, kind="moved", what="code of fallback", workload="")
    run = with_outcomes(held(amendments=(edited,)), (FALLBACK, failure()), (of_base(FALLBACK), failure()))

    told = [(rule, blocks) for rule, _, blocks in rules_of(run)]

    assert ("fallback-raises", False) in told
    assert ("gate-loosened", True) in told


LINE = Place(path=".github/CODEOWNERS", line=3)


@pytest.mark.parametrize(("now", "lost"), [("@ACME/Kernels", []), ("@acme/others", ["gate-loosened"])])
def test_owners_in_codeowners_are_the_same_in_other_letters(now, lost):
    def asked(owner):
        return {"gemm": Ownership(owners=(), files={"acme/gemm.py": (LINE, "/acme/", (owner,))}, codeowners="x")}

    run = run_of(kernel(owners=()), base_ownership=asked("@acme/kernels"), ownership=asked(now))

    assert [f.rule for f in judged(run)] == lost


def test_an_edited_fallback_that_fails_is_blamed_for_failing():
    edited = replace(LOOSER, kind="moved", what="code of fallback", workload="")
    run = held(amendments=(edited,))

    assert [rule for rule, _, _ in rules_of(run)] == ["gate-loosened"]
    broken = with_outcomes(run, (FALLBACK, failure()))
    assert "gate-loosened" not in [rule for rule, _, _ in rules_of(broken)]
