"""
Largest error as a factor of the largest |expected| in its row: an error of the size that a sum's rounding has, however
small the element it lands on. A row runs along the last dimension longer than 1.
"""

from kgate.chunks import Chunk
from kgate.model import Direction, Metric

NAME = "row_error"


def start() -> float | None:
    return None


def add(state: float | None, chunk: Chunk) -> float:
    return max(state or 0.0, float(chunk.row_error.max()))


def finish(state: float | None) -> Metric | None:
    return None if state is None else Metric(name=NAME, value=state, unit="", direction=Direction.LOWER)
