"""Which cases' arms have to take turns in a GPU's memory."""

from dataclasses import replace

from kgate import residency
from kgate.model import BASE, FALLBACK, HEAD, Failure
from kgate.plan import LOCKSTEP
from tests.unit import builders
from tests.unit.numbers.times import cases

GIB = 1 << 30
LARGE, SMALL = cases(2)


def holding(size_bytes: int) -> object:
    return replace(builders.answer(), facts={"peak-bytes": size_bytes})


def test_arms_that_hold_more_than_the_memory_together_take_turns() -> None:
    outcomes = {(arm, LARGE): holding(9 * GIB) for arm in LOCKSTEP} | {(arm, SMALL): holding(GIB) for arm in LOCKSTEP}

    assert residency.crowded((LARGE, SMALL), LOCKSTEP, outcomes, 24 * GIB) == (LARGE,)
    assert residency.crowded((LARGE, SMALL), LOCKSTEP, outcomes, 80 * GIB) == ()


def test_an_arm_that_did_not_answer_needs_no_memory_and_each_one_that_did_needs_a_context() -> None:
    failed = Failure(rung="run", reason="raised", text="no")
    outcomes = {(HEAD, LARGE): holding(20 * GIB), (BASE, LARGE): failed, (FALLBACK, LARGE): builders.answer()}

    assert residency.crowded((LARGE,), LOCKSTEP, outcomes, 24 * GIB) == ()
    assert residency.crowded((LARGE,), LOCKSTEP, outcomes, 22 * GIB) == (LARGE,)


def test_a_cpu_has_no_such_memory() -> None:
    assert residency.crowded((LARGE,), LOCKSTEP, {(HEAD, LARGE): holding(1 << 50)}, 0) == ()


def test_the_report_names_a_few_and_counts_the_rest() -> None:
    (said,) = residency.told(tuple(cases(7)))

    assert said.startswith(
        "the arms of 7 cases do not fit into the GPU's memory together and took turns in it: k0/w0, "
    )
    assert said.endswith("k4/w0 and 2 more")
    assert residency.told(()) == ()
