"""Largest |value - expected|, in the output's own unit."""

from kgate.chunks import Chunk
from kgate.model import Direction, Metric

NAME = "max_abs"


def start() -> float | None:
    return None


def add(state: float | None, chunk: Chunk) -> float:
    return max(state or 0.0, float(chunk.error.max()))


def finish(state: float | None) -> Metric | None:
    return None if state is None else Metric(name=NAME, value=state, unit="", direction=Direction.LOWER)
