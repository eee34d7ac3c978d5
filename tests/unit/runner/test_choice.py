"""By which method a case is timed, and with how many calls a sample."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgate.model import LaunchTiming
from kgate.protocol import BATCH, CUDA_TIMERS, GRAPH, SINGLE, Ready, seed_of_call
from kgate.runner.choice import ROOM_BYTES, Choice, choice_of, chosen, exportable, ladder

RESOLUTION_NS = 500.0  # of two CUDA events


def ready(estimate_ns: int, size_bytes: int = 1 << 20) -> Ready:
    return Ready(case="c", estimate_ns=estimate_ns, output_bytes=size_bytes // 4, input_bytes=size_bytes // 4 * 3)


def choice(estimate_ns: int, size_bytes: int = 1 << 20, method: str = SINGLE, stateful: bool = False) -> Choice:
    return chosen(method, ready(estimate_ns, size_bytes), ROOM_BYTES, stateful)


@pytest.mark.parametrize(
    ("estimate_ns", "wanted"),
    [
        (2_300, Choice(method=GRAPH, calls=64)),
        (7_400, Choice(method=GRAPH, calls=41)),
        (27_000, Choice(method=GRAPH, calls=12)),
        (99_999, Choice(method=GRAPH, calls=8)),
        (100_000, Choice(method=SINGLE)),
        (0, Choice(method=GRAPH, calls=64)),
    ],
)
def test_short_calls_are_captured_with_as_many_as_make_a_sample_long_enough(estimate_ns, wanted):
    assert choice(estimate_ns) == wanted


@given(st.integers(2_000, 99_999), st.integers(4, 1 << 32))
def test_a_captured_sample_is_a_hundred_times_the_timer_s_resolution_and_fits_its_room(estimate_ns, size_bytes):
    found = choice(estimate_ns, size_bytes)

    if found.rotated:
        assert found.calls * estimate_ns >= 100 * RESOLUTION_NS or found.calls == ROOM_BYTES // (size_bytes // 4 * 4)
        assert 8 <= found.calls <= 64
        assert found.calls * (size_bytes // 4 * 4) <= ROOM_BYTES


def test_inputs_too_large_to_rotate_are_timed_one_call_at_a_time():
    assert choice(50_000, ROOM_BYTES // 8).calls == 8
    assert choice(50_000, ROOM_BYTES // 7) == Choice(method=SINGLE)


def test_state_and_a_device_with_one_timer_are_timed_one_call_at_a_time():
    assert choice(2_000, stateful=True) == Choice(method=SINGLE)
    assert choice(2_000, method="cpu-monotonic") == Choice(method="cpu-monotonic")


def test_what_cannot_be_captured_is_tried_in_a_row_and_then_alone():
    steps = ladder(Choice(method=GRAPH, calls=20), SINGLE)

    assert steps == (Choice(method=GRAPH, calls=20), Choice(method=BATCH, calls=20), Choice(method=SINGLE))
    assert ladder(Choice(method=SINGLE), SINGLE) == (Choice(method=SINGLE),)
    assert ladder(Choice(method="cpu-monotonic"), "cpu-monotonic") == (Choice(method="cpu-monotonic"),)


@pytest.mark.parametrize("method", CUDA_TIMERS)
def test_a_later_launch_is_timed_as_the_first_one_was(method):
    first = LaunchTiming(launch=0, samples_ns={}, call_ns={}, method=method, notes={"batch": 16})

    assert choice_of(first) == Choice(method=method, calls=0 if method == SINGLE else 16)


def test_what_can_be_exported_of_a_block_is_what_an_arm_still_holds():
    kept, block = (8, 9), (7, 8, 9)

    assert exportable(kept, block, Choice(method=SINGLE)) == kept
    assert exportable(kept, block, Choice(method=GRAPH, calls=3)) == [seed_of_call(9, n) for n in range(3)]
    assert exportable(kept, block, Choice(method=BATCH, calls=3)) == [seed_of_call(8, 2), seed_of_call(9, 2)]


@given(st.integers(1, 2**32 - 1))
def test_calls_of_a_sample_have_seeds_of_their_own(seed):
    assert seed_of_call(seed, 0) == seed
    assert len({seed_of_call(seed, call) for call in range(64)}) == 64
