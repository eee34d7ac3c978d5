"""Shares side by side."""

import threading

import pytest

from kgate.runner import parallel


def test_every_share_is_worked_on_once() -> None:
    seen: list[int] = []

    parallel.run(list(range(20)), 4, seen.append)

    assert sorted(seen) == list(range(20))


def test_as_many_at_once_as_asked_for() -> None:
    together = threading.Barrier(3, timeout=20)

    parallel.run(["a", "b", "c"], 3, lambda share: (together.wait(), None)[1])

    assert not together.broken


def test_what_a_share_raises_is_raised() -> None:
    def each(share: int) -> None:
        if share == 1:
            raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        parallel.run([0, 1, 2], 2, each)
