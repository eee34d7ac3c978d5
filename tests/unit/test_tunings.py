"""Which pick of an autotuner each arm is timed with, and what is told of it."""

from types import SimpleNamespace

import pytest

from kgate import tunings
from kgate.answers import Answers
from kgate.model import BASE, FALLBACK, HEAD, LaunchTiming
from kgate.protocol import CaseJob
from kgate.runner.ledger import Ledger
from tests.unit.builders import answer, case

GEMM, ADD = case("gemm"), case("add")
ONE, OTHER = "1" * 64, "2" * 64


def tuned(pick, space=ONE):
    return answer(tuned={"m.gemm (64,)": pick}, spaces={"m.gemm (64,)": space})


@pytest.fixture
def setting(tmp_path):
    with Ledger.open(tmp_path / "key.jsonl") as ledger:
        yield SimpleNamespace(ledger=ledger, plan=SimpleNamespace(cases=(GEMM, ADD)))


def answers(**arms):
    """Of GEMM; the other kernel has no tuner."""
    named = {"head": HEAD, "base": BASE}
    found = {(named[name], GEMM): outcome for name, outcome in arms.items()}
    return Answers(outcomes={**found, (HEAD, ADD): answer(), (BASE, ADD): answer()}, comparisons={})


KEY = "m.gemm (64,)"


def test_with_the_same_choice_both_arms_take_bases_pick_in_every_launch(setting):
    found = tunings.known(setting, answers(head=tuned("tile=64"), base=tuned("tile=128")))

    assert (found.same, found.changed) == (1, ())
    assert {found.picks(arm, launch)[KEY] for arm in (HEAD, BASE) for launch in range(5)} == {"tile=128"}


def test_with_another_choice_each_arm_takes_its_own_three_picks_in_turn(setting):
    for arm in ("head", "base"):
        for turn in (1, 2):
            setting.ledger.record("tuning", f"{arm}|{turn}|{GEMM.name}", {KEY: f"{arm} {turn}"})

    found = tunings.known(setting, answers(head=tuned("tile=64", OTHER), base=tuned("tile=128")))

    assert found.changed == (GEMM,)
    assert [found.picks(HEAD, n)[KEY] for n in range(4)] == ["tile=64", "head 1", "head 2", "tile=64"]
    assert [found.picks(BASE, n)[KEY] for n in range(3)] == ["tile=128", "base 1", "base 2"]
    assert found.picks(FALLBACK, 0) == {}


def test_a_tuner_that_base_does_not_have_is_a_choice_of_its_own(setting):
    assert tunings.known(setting, answers(head=tuned("tile=64"), base=answer())).changed == (GEMM,)


def test_kernels_without_a_tuner_have_nothing_to_take(setting):
    found = tunings.known(setting, answers(head=answer(), base=answer()))

    assert (dict(found.taken), found.same, found.changed) == ({}, 0, ())


def test_a_second_measurement_takes_the_picks_of_the_first(setting):
    setting.ledger.record("tuning", f"head|1|{GEMM.name}", {KEY: "kept"})
    moved = SimpleNamespace(ledger=setting.ledger.within("again"), plan=setting.plan)

    assert tunings.again(moved, HEAD, 1, [GEMM]) == {KEY: "kept"}


def test_picks_are_handed_to_the_arms_that_have_them(setting):
    found = tunings.known(setting, answers(head=tuned("tile=64"), base=tuned("tile=128")))
    jobs = [CaseJob(case=c.name, dsl="triton", entry="m:f", args={}, keywords=False, symbols={}) for c in (GEMM, ADD)]

    work = tunings.handed_out(found, {HEAD: jobs, FALLBACK: jobs}, 0)

    assert [job.picks for job in work[HEAD]] == [{KEY: "tile=128"}] * 2
    assert [job.picks for job in work[FALLBACK]] == [{}, {}]


def launches(*factors):
    return [
        LaunchTiming(launch=n, samples_ns={"head": (100.0 * f,) * 4, "base": (100.0,) * 4}, call_ns={}, method="fake")
        for n, f in enumerate(factors)
    ]


def test_how_far_the_picks_differ_is_told():
    found = tunings.Tuned(taken={}, changed=(GEMM,))

    (said,) = tunings.remarks(found, {GEMM: launches(1.0, 1.02, 1.0, 1.0, 1.02, 1.0)})

    assert said == (
        "gemm/small: the choice of its autotuner is not base's, so each arm was tuned 3 times; launches of its picks "
        "differ by 2.0 %"
    )


def test_a_shared_pick_is_told_in_one_line_for_all():
    assert tunings.remarks(tunings.Tuned(taken={}, same=2), {}) == (
        "of 2 autotuners head and base took the same pick, base's",
    )
    assert tunings.remarks(tunings.Tuned(taken={}), {}) == ()
