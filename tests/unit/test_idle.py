"""Waiting for a GPU that somebody else computes on."""

from dataclasses import replace

import pytest

from kgate import idle
from kgate.errors import HostError
from kgate.worker.nvml import Card


def test_a_gpu_that_comes_to_rest_is_waited_for() -> None:
    answers = [(41, 7), (41,), ()]
    slept: list[float] = []

    rested = idle.rested(lambda: answers[len(slept)], slept.append, 60)

    assert rested
    assert slept == [idle.LOOK_S] * 2


def test_a_neighbour_that_stays_is_waited_for_no_longer_than_is_allowed() -> None:
    slept: list[float] = []

    assert not idle.rested(lambda: (41,), slept.append, 10)
    assert sum(slept) == 10


TOTAL = 141 * idle.GIB
FULL = Card(
    name="NVIDIA H200",
    uuid="GPU-a",
    processes=((41, 129 * idle.GIB),),
    used_bytes=130 * idle.GIB,
    total_bytes=TOTAL,
)
EMPTY = replace(FULL, processes=(), used_bytes=1 << 29)


def test_a_gpu_whose_memory_a_foreign_process_holds_is_refused_before_anything_runs(monkeypatch) -> None:
    monkeypatch.setattr(idle.nvml, "cards", lambda: (FULL,))
    slept: list[float] = []

    with pytest.raises(HostError) as refused:
        idle.room("cuda:0", "a", slept.append)

    assert str(refused.value) == (
        "cuda:0: 92% of its memory is held before the start, by process 41 (129.0 GiB); end that process or wait for "
        "it, or choose another GPU"
    )
    assert sum(slept) == idle.PATIENCE_S


def test_memory_that_is_given_back_in_time_stops_nobody(monkeypatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(idle.nvml, "cards", lambda: (FULL if len(slept) < 3 else EMPTY,))

    idle.room("cuda:0", "a", slept.append)

    assert len(slept) == 3
    assert idle.doubt("cuda:0", "a", slept.append) == (True, "")


def test_nothing_is_timed_on_a_gpu_that_somebody_fills_and_something_small_is_a_remark(monkeypatch) -> None:
    small = replace(FULL, processes=((7, None),), used_bytes=idle.GIB)
    slept: list[float] = []
    monkeypatch.setattr(idle.nvml, "cards", lambda: (replace(FULL, used_bytes=30 * idle.GIB, processes=()),))

    filled = idle.doubt("cuda:0", "a", slept.append)
    monkeypatch.setattr(idle.nvml, "cards", lambda: (small,))
    visited = idle.doubt("cuda:0", "a", lambda seconds: None)

    nameless = "by a process that the driver does not name here"
    assert filled == (False, f"cuda:0 is not idle: 30.0 GiB of its memory are held, {nameless}")
    assert sum(slept) == idle.PATIENCE_S
    assert visited == (True, "cuda:0 is not idle: 1.0 GiB of its memory are held, by process 7")


def test_a_driver_that_tells_nothing_keeps_nobody_waiting(monkeypatch) -> None:
    monkeypatch.setattr(idle.nvml, "cards", lambda: ())

    idle.room("cuda:0", "a", lambda seconds: pytest.fail("waited"))
    assert idle.doubt("cuda:0", "a", lambda seconds: pytest.fail("waited")) == (True, "")
