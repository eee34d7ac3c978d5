"""Waiting for a GPU that somebody else computes on."""

from kgate import idle


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
