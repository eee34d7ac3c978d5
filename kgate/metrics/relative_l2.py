"""
‖value - expected‖₂ / ‖expected‖₂ over the whole output, the latter at least the dtype's smallest normal number: below
it a dtype has no relative precision to offer.
"""

import math

import numpy as np

from kgate.chunks import Chunk
from kgate.model import Direction, Metric

NAME = "relative_l2"
State = tuple[float, float, float] | None  # sums of squares of the error and of what is expected; the smallest norm


def start() -> State:
    return None


def add(state: State, chunk: Chunk) -> State:
    errors, expected, _ = state or (0.0, 0.0, 0.0)
    squares = float(np.einsum("ij,ij->", chunk.magnitude, chunk.magnitude))
    return (errors + chunk.squared_error, expected + squares, chunk.dtype.tiny)


def finish(state: State) -> Metric | None:
    if state is None:
        return None
    errors, expected, smallest = state
    norm = max(math.sqrt(expected), smallest)
    value = math.sqrt(errors) / norm if math.isfinite(errors) else math.inf
    return Metric(name=NAME, value=value, unit="", direction=Direction.LOWER)
