"""How a launch spends its time."""

import random

from hypothesis import given
from hypothesis import strategies as st

from kgate.runner.limits import Limits
from kgate.runner.place import Workplace
from kgate.runner.process import fresh
from kgate.runner.schedule import Schedule, course, kept, orders, seeds
from kgate.runner.table import Table


def test_a_short_call_gets_all_blocks_and_samples():
    plan = course(Schedule(), estimate_ns=10_000, arms=3)

    assert (plan.blocks, plan.samples_per_block, plan.batch) == (8, 8, 1)


def test_a_long_call_gets_fewer_samples_first_and_then_fewer_blocks():
    plans = [course(Schedule(case_budget_s=4.0), estimate_ns=int(s * 1e9), arms=2) for s in (0.05, 0.5, 10)]

    assert [(p.blocks, p.samples_per_block) for p in plans] == [(8, 5), (4, 1), (2, 1)]


def test_calls_are_batched_until_a_sample_is_long_enough():
    assert course(Schedule(least_sample_ns=10_000), estimate_ns=3_000, arms=1).batch == 4
    assert course(Schedule(least_sample_ns=10_000), estimate_ns=0, arms=1).batch == 1000


def test_samples_of_rotated_calls_are_fewer_and_as_long_as_their_calls():
    short, long = (course(Schedule(case_budget_s=4.0), estimate_ns=ns, arms=3, calls=8) for ns in (2_000, 10_000_000))

    assert (short.blocks, short.samples_per_block, short.batch) == (8, 5, 8)
    assert (long.blocks, long.samples_per_block, long.batch) == (8, 2, 8)


@given(st.integers(0, 10**12), st.integers(1, 3), st.integers(2, 12), st.integers(1, 12))
def test_blocks_are_even_and_the_budget_is_kept_but_for_the_least_that_pairs_need(estimate_ns, arms, blocks, samples):
    schedule = Schedule(blocks=blocks // 2 * 2, samples_per_block=samples, case_budget_s=1.0)

    plan = course(schedule, estimate_ns, arms)

    assert plan.blocks % 2 == 0
    assert plan.blocks >= 2
    assert plan.samples_per_block >= 1
    least = (plan.blocks, plan.samples_per_block) == (2, 1)
    assert least or plan.blocks * plan.samples_per_block * arms * estimate_ns * plan.batch <= 1e9


def test_every_second_block_is_in_reverse_order():
    drawn = list(orders(["a", "b", "c"], 6, random.Random(1)))

    assert [tuple(reversed(first)) for first in drawn[::2]] == drawn[1::2]
    assert len(set(drawn[::2])) > 1


def test_no_seed_is_zero_or_comes_twice():
    drawn = [s for block in seeds(course(Schedule(), 1, 1), random.Random(1)) for s in block]

    assert len(set(drawn)) == 64
    assert 0 not in drawn


def test_only_the_newest_samples_that_fit_are_still_held():
    assert kept((1, 2, 3), output_bytes=10, keep_bytes=25) == (2, 3)
    assert kept((1, 2, 3), output_bytes=10, keep_bytes=5) == ()
    assert kept((1, 2, 3), output_bytes=0, keep_bytes=5) == (1, 2, 3)


def test_a_launch_that_mirrors_another_draws_its_orders_again_and_values_of_its_own(tmp_path):
    place = Workplace(python={}, trees={}, folder=tmp_path, device="cpu")

    first, second = (
        Table(place, {}, number, Schedule(mirrors=mirrors), print, fresh, Limits())
        for number, mirrors in ((3, None), (1_000_803, 3))
    )

    assert list(orders(["a", "b", "c"], 8, first.order)) == list(orders(["a", "b", "c"], 8, second.order))
    assert (first.mirrored, second.mirrored) == (False, True)
    assert first.draw.random() != second.draw.random()
