"""Strides of a tensor, in elements."""

from collections.abc import Sequence
from itertools import accumulate

ELEMENTS_LIMIT = 1 << 40  # of one tensor's storage; no device holds a TiB


class LayoutError(ValueError):
    """The end of a sentence that begins with where the layout stands."""


def contiguous(shape: Sequence[int]) -> tuple[int, ...]:
    """C order; a size of 0 counts as 1, as in torch."""
    sizes = [max(n, 1) for n in reversed(shape)]
    return tuple(reversed(list(accumulate(sizes[:-1], lambda a, b: a * b, initial=1)))) if sizes else ()


def named(layout: str, shape: Sequence[int]) -> tuple[int, ...]:
    """
    transposed  the last two dimensions are swapped in memory
    sliced      every row is a slice of a buffer twice as wide
    expanded    one row, repeated over the first dimension by a stride of 0
    """
    least = 1 if layout == "expanded" else 2
    if len(shape) < least:
        raise LayoutError(f"{layout!r} needs at least {least} dimensions, the shape has {len(shape)}; leave it out")
    if layout == "transposed":
        *outer, last, before = contiguous((*shape[:-2], shape[-1], shape[-2]))
        return (*outer, before, last)
    if layout == "sliced":
        return contiguous((*shape[:-1], 2 * shape[-1]))
    return (0, *contiguous(shape[1:]))


def span(shape: Sequence[int], strides: Sequence[int]) -> int:
    """How many elements the storage has, from the first to the last that an index reaches."""
    if 0 in shape:
        return 0
    return 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))


def check(shape: Sequence[int], strides: Sequence[int]) -> None:
    """Refuse strides that no view has, and partial overlap: with stride 0 it is plain which elements are one."""
    if len(strides) != len(shape):
        raise LayoutError(f"{len(strides)} strides for {len(shape)} dimensions; write one per dimension")
    if span(shape, strides) > ELEMENTS_LIMIT:
        raise LayoutError(f"a storage of {span(shape, strides)} elements fits no device; write smaller sizes")
    reach = 0
    for stride, size in sorted((s, n) for s, n in zip(strides, shape, strict=True) if s > 0 and n > 1):
        if stride <= reach:
            free = reach + 1
            raise LayoutError(f"a stride of {stride} makes elements overlap; write {free} or more there, or 0")
        reach += (size - 1) * stride
