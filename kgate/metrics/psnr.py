"""
Peak signal-to-noise ratio, 20 log10(peak / RMSE) in dB. The peak is the largest |expected|, since a kernel's output has
no range of its own as a picture has. inf if nothing differs, -inf if nothing but zeros was expected, or on NaN.
"""

import math

from kgate.chunks import Chunk
from kgate.model import Direction, Metric

NAME = "psnr"
State = tuple[float, int, float]  # sum of squared errors, elements, largest |expected|


def start() -> State:
    return (0.0, 0, 0.0)


def add(state: State, chunk: Chunk) -> State:
    squares, count, peak = state
    return (squares + chunk.squared_error, count + chunk.error.size, max(peak, float(chunk.magnitude.max())))


def finish(state: State) -> Metric | None:
    squares, count, peak = state
    if not count:
        return None
    if not squares:
        value = math.inf
    elif not peak or not math.isfinite(squares):
        value = -math.inf
    else:
        # Not of the quotient: a sum of denormals divided by the count is 0.
        value = 20 * math.log10(peak) - 10 * (math.log10(squares) - math.log10(count))
    return Metric(name=NAME, value=value, unit="dB", direction=Direction.HIGHER)
