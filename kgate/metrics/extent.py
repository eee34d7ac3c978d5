"""
Where the elements outside the allowed error lie: the share of the output that the smallest block of rows and columns
around them covers, with the first of them and that block in `where`. 0 and no place where none is outside.

A row runs along the last dimension longer than 1, as everywhere here; rows of a tensor of rank 3 are counted through.
"""

from dataclasses import dataclass, replace

import numpy as np

from kgate.chunks import Chunk
from kgate.model import Direction, Metric
from kgate.tensors import matrix_shape

NAME = "extent"
TILES = tuple(1 << power for power in range(3, 17))  # widths that a kernel is likely to cut its work into


@dataclass(frozen=True, kw_only=True)
class Block:
    """Rows and columns from `top`, `left` to `bottom`, `right`, the latter included; columns count parts if complex."""

    shape: tuple[int, ...]
    parts: int
    first: int = -1  # in C order, in parts; -1 for none yet
    top: int = 0
    bottom: int = -1
    left: int = 0
    right: int = -1

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns of the whole output."""
        rows, columns = matrix_shape(self.shape)
        return rows, columns * self.parts


def start() -> Block | None:
    return None


def add(state: Block | None, chunk: Chunk) -> Block:
    state = state or Block(shape=chunk.shape, parts=chunk.dtype.parts)
    if not chunk.outside.any():
        return state
    row, column = divmod(chunk.offset, state.size[1])
    rows = np.flatnonzero(chunk.outside.any(axis=1)) + row
    columns = np.flatnonzero(chunk.outside.any(axis=0)) + column
    if state.first < 0:
        first = chunk.offset + int(chunk.outside.reshape(-1).argmax())
        state = replace(state, first=first, top=int(rows[0]), left=int(columns[0]))
    return replace(
        state,
        bottom=int(rows[-1]),
        left=min(state.left, int(columns[0])),
        right=max(state.right, int(columns[-1])),
    )


def finish(state: Block | None) -> Metric | None:
    if state is None:
        return None
    rows, columns = state.size
    covered = (state.bottom - state.top + 1) * (state.right - state.left + 1)
    where = "" if state.first < 0 else described(state)
    return Metric(name=NAME, value=covered / (rows * columns), unit="share", direction=Direction.LOWER, where=where)


def described(block: Block) -> str:
    """`first at [1024], all in the last 1 of 1025 elements (what tiles of 8 to 1024 leave over)`."""
    index = ", ".join(str(int(i)) for i in np.unravel_index(block.first // block.parts, block.shape))
    rows, columns = matrix_shape(block.shape)
    left, right = block.left // block.parts, block.right // block.parts
    spans = [
        stretch(block.top, block.bottom, rows, "row"),
        stretch(left, right, columns, "element" if rows == 1 else "column"),
    ]
    inside = " and ".join(span for span in spans if span)
    return f"first at [{index}], " + (f"all in {inside}" if inside else "from end to end")


def stretch(first: int, last: int, count: int, noun: str) -> str:
    """Where `first` to `last` lie in `count`; "" if they are all of it."""
    if last - first + 1 == count:
        return ""
    if last == count - 1:
        return f"the last {count - first} of {count} {noun}s{leftover(count - first, count)}"
    if first == 0:
        return f"the first {last + 1} of {count} {noun}s"
    return f"{noun}s {first} to {last} of {count}" if first < last else f"{noun} {first} of {count}"


def leftover(tail: int, count: int) -> str:
    """Whether a tail is what tiles of some usual width leave over: then it is the tail's own code that is wrong."""
    widths = [width for width in TILES if tail < width < count and count % width == tail]
    if not widths:
        return ""
    tiles = f"{widths[0]}" if len(widths) == 1 else f"{widths[0]} to {widths[-1]}"
    return f" (what tiles of {tiles} leave over)"
