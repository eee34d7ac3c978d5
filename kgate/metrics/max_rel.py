"""Largest |value - expected| / |expected|; inf if an expected 0 is missed, so read it beside `row_error`."""

import numpy as np

from kgate.chunks import Chunk
from kgate.model import Direction, Metric

NAME = "max_rel"


def start() -> float | None:
    return None


def add(state: float | None, chunk: Chunk) -> float:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = np.divide(chunk.error, chunk.magnitude)
    largest = float(ratio.max())
    if largest != largest:  # 0 / 0, an expected 0 that was met
        largest = float(np.max(ratio, where=~np.isnan(ratio), initial=0.0))
    return max(state or 0.0, largest)


def finish(state: float | None) -> Metric | None:
    return None if state is None else Metric(name=NAME, value=state, unit="", direction=Direction.LOWER)
