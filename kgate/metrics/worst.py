"""Where `row_error` is largest: the element's number in C order, with its index and both values in `where`."""

from dataclasses import dataclass

import numpy as np

from kgate.chunks import Chunk
from kgate.model import Direction, Metric

NAME = "worst"


@dataclass(frozen=True, kw_only=True)
class Place:
    """`flat` counts parts; the first of equals."""

    row_error: float
    flat: int
    value: float
    expected: float
    shape: tuple[int, ...]
    parts: int


def start() -> Place | None:
    return None


def add(state: Place | None, chunk: Chunk) -> Place:
    at = int(chunk.row_error.argmax())
    row_error = float(chunk.row_error.reshape(-1)[at])
    if state is not None and row_error <= state.row_error:
        return state
    return Place(
        row_error=row_error,
        flat=chunk.offset + at,
        value=float(chunk.value.reshape(-1)[at]),
        expected=float(chunk.expected.reshape(-1)[at]),
        shape=chunk.shape,
        parts=chunk.dtype.parts,
    )


def finish(state: Place | None) -> Metric | None:
    if state is None:
        return None
    element, part = divmod(state.flat, state.parts)
    index = ", ".join(str(int(i)) for i in np.unravel_index(element, state.shape))
    part_name = "" if state.parts == 1 else (" real part", " imaginary part")[part]
    where = f"[{index}]{part_name}: {state.value:.9g}, expected {state.expected:.9g}"
    return Metric(name=NAME, value=float(element), unit="element", direction=Direction.NEITHER, where=where)
