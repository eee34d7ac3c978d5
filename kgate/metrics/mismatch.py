"""Share of elements (parts, if complex) outside the allowed error, or that disagree about NaN or an infinity."""

import numpy as np

from kgate.chunks import Chunk
from kgate.model import Direction, Metric

NAME = "mismatch"
State = tuple[int, int]  # outside, elements


def start() -> State:
    return (0, 0)


def add(state: State, chunk: Chunk) -> State:
    outside = int(np.count_nonzero(chunk.outside))
    return (state[0] + outside, state[1] + chunk.error.size)


def finish(state: State) -> Metric | None:
    outside, count = state
    if not count:
        return None
    where = f"{outside} of {count}"
    return Metric(name=NAME, value=outside / count, unit="share", direction=Direction.LOWER, where=where)
