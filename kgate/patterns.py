"""
What the wrong elements of an output have in common, in words: a short way to the line of a kernel that is wrong.

Asked only of an output that does not hold, in a pass of its own over the chunks that metrics see.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from kgate.chunks import Chunk
from kgate.model import Direction, Metric
from kgate.tensors import Floats, matrix_shape

NAME = "pattern"
ALIKE = 1e-3  # how far ratios may lie apart to count as one
FAR = 10.0  # a ratio of norms from which on the size is the news
FEW = 3  # fewer wrong rows or columns make no step


@dataclass(frozen=True, kw_only=True)
class Span:
    """The least and the largest of some numbers."""

    low: float = math.inf
    high: float = -math.inf

    def over(self, more: Floats) -> "Span":
        if not more.size:
            return self
        return Span(low=min(self.low, float(more.min())), high=max(self.high, float(more.max())))


@dataclass(frozen=True, kw_only=True)
class Grid:
    """Places that lie `step` apart, counted from `first`; `step` 0 for one alone."""

    first: int = -1
    last: int = -1
    step: int = 0

    def over(self, places: npt.NDArray[np.int64]) -> "Grid":
        first = int(places[0]) if self.first < 0 else self.first
        step = int(np.gcd.reduce(np.abs(places - first), initial=self.step))
        return Grid(first=min(first, int(places[0])), last=max(self.last, int(places[-1])), step=step)


@dataclass(frozen=True, kw_only=True)
class Seen:
    """Of the wrong elements, but for `right`: |expected| of those that are right, without zeros."""

    count: int = 0
    zeros: int = 0
    nans: int = 0
    infinities: int = 0
    ratio: Span = Span()  # of value to expected, where both are finite and the latter is not 0
    comparable: int = 0
    value_square: float = 0.0
    expected_square: float = 0.0
    rows: Grid = Grid()
    columns: Grid = Grid()
    wrong: Span = Span()
    right: Span = Span()


def pattern(pieces: Iterable[Chunk]) -> Metric | None:
    """`value` is the number of wrong elements, `where` what they share; None where they share nothing."""
    seen, nouns = Seen(), ("row", "column")
    for chunk in pieces:
        rows, columns = matrix_shape(chunk.shape)
        nouns = ("row", "column" if rows > 1 else "element")
        seen = added(seen, chunk, columns * chunk.dtype.parts)
    words = ", ".join((*kinds(seen), *steps(seen, nouns), *sizes(seen)))
    if not words:
        return None
    return Metric(name=NAME, value=float(seen.count), unit="elements", direction=Direction.NEITHER, where=words)


def added(seen: Seen, chunk: Chunk, width: int) -> Seen:
    wrong = np.broadcast_to(chunk.outside, chunk.value.shape)
    magnitude = np.broadcast_to(chunk.magnitude, wrong.shape)
    seen = replace(seen, right=seen.right.over(magnitude[~wrong & (magnitude > 0)]))
    if not wrong.any():
        return seen
    row, column = divmod(chunk.offset, width)
    value, expected = (np.broadcast_to(side, wrong.shape)[wrong] for side in (chunk.value, chunk.expected))
    fit = np.isfinite(value) & np.isfinite(expected) & (expected != 0)
    with np.errstate(over="ignore", under="ignore"):
        ratios = value[fit] / expected[fit]
        squares = [float(np.square(side[fit]).sum()) for side in (value, expected)]
    return replace(
        seen,
        count=seen.count + len(value),
        zeros=seen.zeros + int((value == 0).sum()),
        nans=seen.nans + int(np.isnan(value).sum()),
        infinities=seen.infinities + int(np.isinf(value).sum()),
        ratio=seen.ratio.over(ratios),
        comparable=seen.comparable + len(ratios),
        value_square=seen.value_square + squares[0],
        expected_square=seen.expected_square + squares[1],
        rows=seen.rows.over(np.flatnonzero(wrong.any(axis=1)) + row),
        columns=seen.columns.over(np.flatnonzero(wrong.any(axis=0)) + column),
        wrong=seen.wrong.over(magnitude[wrong]),
    )


def kinds(seen: Seen) -> Iterator[str]:
    """What stands there: nothing but NaN, infinities or zeros; the right number times something."""
    if not seen.count:
        return
    same = {"NaN": seen.nans, "infinite": seen.infinities, "0": seen.zeros}
    for what, count in same.items():
        if count == seen.count:
            yield f"all of them are {what}"
            return
    if seen.comparable < seen.count:
        return
    low, high = seen.ratio.low, seen.ratio.high
    if seen.count > 1 and math.isfinite(high - low) and high - low <= ALIKE * max(abs(low), abs(high)):
        middle = (low + high) / 2
        yield "all have the other sign" if abs(middle + 1) < ALIKE else f"each is {middle:.4g} times what is expected"
    elif seen.expected_square and math.isfinite(seen.value_square):
        factor = math.sqrt(seen.value_square / seen.expected_square)
        if factor >= FAR or 0 < factor <= 1 / FAR:
            yield f"together they are {factor:.3g} times what is expected"


def steps(seen: Seen, nouns: tuple[str, str]) -> Iterator[str]:
    for grid, noun in zip((seen.rows, seen.columns), nouns, strict=True):
        if grid.step > 1 and grid.last - grid.first >= (FEW - 1) * grid.step:
            yield f"only {noun}s with number mod {grid.step} = {grid.first % grid.step}"


def sizes(seen: Seen) -> Iterator[str]:
    """Where small ones alone, or large ones alone, are wrong."""
    if seen.count < FEW or seen.right.low > seen.right.high:
        return
    if seen.wrong.high < seen.right.low:
        yield f"only where |expected| is at most {seen.wrong.high:.3g}"
    elif seen.wrong.low > seen.right.high:
        yield f"only where |expected| is at least {seen.wrong.low:.3g}"
