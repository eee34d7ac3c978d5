"""‖value - expected‖₂ / ‖expected‖₂ over the whole output; 0 for 0/0, inf where only zeros were expected and missed."""

import math

import numpy as np

from kgate.chunks import Chunk
from kgate.model import Direction, Metric

NAME = "relative_l2"
State = tuple[float, float] | None  # sums of squares: of the error, of what is expected


def start() -> State:
    return None


def add(state: State, chunk: Chunk) -> State:
    errors, expected = state or (0.0, 0.0)
    squares = float(np.einsum("ij,ij->", chunk.magnitude, chunk.magnitude))
    return (errors + chunk.squared_error, expected + squares)


def finish(state: State) -> Metric | None:
    if state is None:
        return None
    errors, expected = state
    if not math.isfinite(errors) or not expected:
        value = math.inf if errors else 0.0
    else:
        value = math.sqrt(errors) / math.sqrt(expected)
    return Metric(name=NAME, value=value, unit="", direction=Direction.LOWER)
