"""
Cosine of the angle between value and expected as two long vectors; blind to a common factor, so never asked for alone.

1 if both are all zeros, 0 if one is, -1 if they disagree about NaN or an infinity; places where both agree on one are
left out.
"""

import math

import numpy as np

from kgate.chunks import Chunk
from kgate.model import Direction, Metric
from kgate.tensors import Floats

NAME = "cosine"
State = tuple[float, float, float, bool] | None  # value · expected, value², expected², they agree where not finite


def start() -> State:
    return None


def add(state: State, chunk: Chunk) -> State:
    product, values, expected, agree = state or (0.0, 0.0, 0.0, True)
    left, right = chunk.value, chunk.expected
    if not chunk.finite:
        agree = agree and math.isfinite(chunk.error.max())
        left, right = _finite_only(left, right)
    return (
        product + float(np.einsum("ij,ij->", left, right)),
        values + float(np.einsum("ij,ij->", left, left)),
        expected + float(np.einsum("ij,ij->", right, right)),
        agree,
    )


def _finite_only(left: Floats, right: Floats) -> tuple[Floats, Floats]:
    both = np.isfinite(left) & np.isfinite(right)
    return np.where(both, left, 0.0), np.where(both, right, 0.0)


def finish(state: State) -> Metric | None:
    if state is None:
        return None
    product, values, expected, agree = state
    if not agree or not all(map(math.isfinite, state)):
        value = -1.0
    elif not values or not expected:
        value = float(values == expected)
    else:
        value = min(max(product / math.sqrt(values) / math.sqrt(expected), -1.0), 1.0)
    return Metric(name=NAME, value=value, unit="", direction=Direction.HIGHER)
