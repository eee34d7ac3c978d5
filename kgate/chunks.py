"""
An output and its reference side by side, in pieces that fit a core's cache: what every metric is folded over.

Here, and only here, is said what it means for two numbers to differ where one of them is not finite.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from kgate.tensors import Dtype, Floats, Kind, widened

CHUNK_ELEMENTS = 1 << 15  # a float64 array of it is 256 KiB: the half dozen that a fold touches stay in 2 MiB of L2
_LARGEST = np.finfo(np.float64).max


@dataclass(frozen=True, kw_only=True)
class Allowance:
    """
    Error allowed in an element: row * (largest of its row) + relative * |expected| + absolute. Numbers smaller than
    `zero_below` count as zero on both sides.
    """

    row: float = 0.0
    relative: float = 0.0
    absolute: float = 0.0
    zero_below: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Chunk:
    """
    Some whole rows, or a piece of one row, of an output; every array is float64 of shape (rows, columns), or broadcasts
    to it. Columns of a complex output hold its real and imaginary parts in turn, as numbers of their own.

    `expected` is ±inf where the reference is too large for the output's dtype. `magnitude` is |expected|, 0 where that
    is not finite. `error` is |value - expected|: 0 where both are NaN or the same infinity, inf where only one is
    finite or they are different infinities; never NaN. In a dtype without infinities NaN and the largest finite value
    both stand for an expected infinity, since casts of both kinds are in use. `allowed` is finite, so that an infinite
    error is always outside.

    `row_scale`, (rows, 1), is the largest `magnitude` of the whole row, at least the dtype's smallest normal number:
    below it a dtype has no relative precision to offer. `offset` counts elements (parts, if complex) before this chunk.
    """

    value: Floats
    expected: Floats
    magnitude: Floats
    error: Floats
    allowed: Floats
    row_scale: Floats
    offset: int
    finite: bool  # every value and every expected number is
    dtype: Dtype
    shape: tuple[int, ...]  # of the whole output

    @cached_property
    def row_error(self) -> Floats:
        """Error as a factor of the row's largest |expected|; inf where that is beyond float64."""
        with np.errstate(over="ignore"):
            return np.divide(self.error, self.row_scale)

    @cached_property
    def outside(self) -> npt.NDArray[np.bool_]:
        """Which elements are off by more than is allowed, or disagree about NaN or an infinity."""
        return np.greater(self.error, self.allowed)

    @cached_property
    def squared_error(self) -> float:
        """Sum of error²."""
        # Not np.vdot: BLAS starts threads for it, which costs more than the sum.
        return float(np.einsum("ij,ij->", self.error, self.error))


def chunks(
    value: npt.NDArray[Any],
    expected: npt.NDArray[Any],
    *,
    dtype: Dtype,
    shape: tuple[int, ...],
    allowance: Allowance,
    limit: int = CHUNK_ELEMENTS,
) -> Iterator[Chunk]:
    """
    Two matrices, as `tensors.read_matrix` gives them, cut into chunks in C order; none if they are empty.

    A chunk has at most `limit` elements. A row longer than that comes in pieces, and is read twice: its scale first.
    """
    rows, columns = value.shape
    step = min(columns, limit)
    height = max(limit // max(step, 1), 1)
    for top in range(0, rows, height):
        band = slice(top, top + height)
        scale = None if step == columns else _long_row_scale(expected[band], dtype, limit)
        for left in range(0, columns, max(step, 1)):
            piece = (band, slice(left, left + step))
            offset = top * columns + left
            yield _chunk(value[piece], expected[piece], scale, offset, dtype, shape, allowance)


def _chunk(
    raw_value: npt.NDArray[Any],
    raw_expected: npt.NDArray[Any],
    scale: Floats | None,
    offset: int,
    dtype: Dtype,
    shape: tuple[int, ...],
    allowance: Allowance,
) -> Chunk:
    value, wanted = widened(raw_value), widened(raw_expected)
    if allowance.zero_below:
        value, wanted = _flushed(value, wanted, allowance.zero_below)
    expected, magnitude, largest = _rounded(wanted, dtype)
    error, finite = _errors(value, expected, dtype)
    if dtype.kind in (Kind.INTEGER, Kind.BOOL):
        # Neighbours beyond 2**53 are one float64; they differ all the same.
        np.maximum(error, raw_value != raw_expected, out=error)
    row_scale = np.maximum(largest, dtype.tiny) if scale is None else scale
    return Chunk(
        value=value,
        expected=expected,
        magnitude=magnitude,
        error=error,
        allowed=_allowed(allowance, row_scale, magnitude),
        row_scale=row_scale,
        offset=offset,
        finite=finite,
        dtype=dtype,
        shape=shape,
    )


def _flushed(value: Floats, expected: Floats, below: float) -> tuple[Floats, Floats]:
    """Zero for what is smaller; also for an expected number that one rounding takes there, where the value is zero."""
    seen = np.where(np.abs(value) < below, 0.0, value)
    least = np.where(seen == 0.0, 2.0 * below, below)
    return seen, np.where(np.abs(expected) < least, 0.0, expected)


def _rounded(expected: Floats, dtype: Dtype) -> tuple[Floats, Floats, Floats]:
    """Expected with what overflows as ±inf, its magnitude, and the largest magnitude of each row."""
    magnitude: Floats = np.abs(expected)
    largest: Floats = magnitude.max(axis=1, keepdims=True, initial=0.0)
    if largest.max(initial=0.0) < dtype.overflow:  # False as well if there is a NaN
        return expected, magnitude, largest
    expected = np.where(magnitude >= dtype.overflow, np.copysign(np.inf, expected), expected)
    magnitude = np.where(np.isfinite(expected), magnitude, 0.0)
    return expected, magnitude, magnitude.max(axis=1, keepdims=True, initial=0.0)


def _errors(value: Floats, expected: Floats, dtype: Dtype) -> tuple[Floats, bool]:
    with np.errstate(invalid="ignore", over="ignore"):
        error: Floats = np.subtract(value, expected)
        np.abs(error, out=error)
        if error.max(initial=0.0) < math.inf:  # False as well if there is a NaN
            return error, True
    error[(value == expected) | (np.isnan(value) & np.isnan(expected))] = 0.0
    error[np.isnan(error)] = math.inf
    if not dtype.infinite and dtype.eps:
        saturated = np.isnan(value) | (value == np.copysign(dtype.largest, expected))
        error[np.isinf(expected) & saturated] = 0.0
    return error, bool(np.isfinite(value).all() and np.isfinite(expected).all())


def _allowed(allowance: Allowance, row_scale: Floats, magnitude: Floats) -> Floats:
    """Shape (rows, 1) where nothing depends on the element, else that of `magnitude`."""
    with np.errstate(over="ignore"):
        allowed: Floats = allowance.row * row_scale + min(allowance.absolute, _LARGEST)
        if allowance.relative:
            allowed = allowance.relative * magnitude + allowed
    within: Floats = np.minimum(allowed, _LARGEST)
    return within


def _long_row_scale(row: npt.NDArray[Any], dtype: Dtype, limit: int) -> Floats:
    """The scale of one row, read in pieces; shape (1, 1)."""
    pieces = (row[:, left : left + limit] for left in range(0, row.shape[1], limit))
    largest = max(float(_rounded(widened(piece), dtype)[2][0, 0]) for piece in pieces)
    return np.full((1, 1), max(largest, dtype.tiny))
