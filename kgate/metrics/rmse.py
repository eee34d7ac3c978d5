"""Root of the mean squared error, in the output's own unit."""

import math

from kgate.chunks import Chunk
from kgate.model import Direction, Metric

NAME = "rmse"
State = tuple[float, int]  # sum of squared errors, elements


def start() -> State:
    return (0.0, 0)


def add(state: State, chunk: Chunk) -> State:
    return (state[0] + chunk.squared_error, state[1] + chunk.error.size)


def finish(state: State) -> Metric | None:
    squares, count = state
    if not count:
        return None
    return Metric(name=NAME, value=math.sqrt(squares / count), unit="", direction=Direction.LOWER)
