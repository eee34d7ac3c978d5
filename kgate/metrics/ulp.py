"""
Largest error in units in the last place of the output's dtype, at the expected value.

The unit at x is eps * 2**floor(log2 |x|), and below the smallest normal number that of the subnormals (Goldberg 1991,
with Muller's reading that x is the exact value). It is found by masking the exponent, not by a logarithm.
"""

import numpy as np

from kgate.chunks import Chunk
from kgate.model import Direction, Metric

NAME = "ulp"
_EXPONENT = np.int64(0x7FF0000000000000)  # of a float64


def start() -> float | None:
    return None


def add(state: float | None, chunk: Chunk) -> float | None:
    if not chunk.dtype.eps:
        return None
    powers = np.bitwise_and(chunk.magnitude.view(np.int64), _EXPONENT).view(np.float64)
    np.maximum(powers, chunk.dtype.tiny, out=powers)
    with np.errstate(over="ignore"):
        largest = float(np.divide(chunk.error, powers, out=powers).max())
    return max(state or 0.0, largest / chunk.dtype.eps)


def finish(state: float | None) -> Metric | None:
    return None if state is None else Metric(name=NAME, value=state, unit="ulp", direction=Direction.LOWER)
