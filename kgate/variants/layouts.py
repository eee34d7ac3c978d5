"""Rows with room between them, columns first, one row for all."""

import math
from collections.abc import Iterator

from kgate.model import Workload
from kgate.variants._changed import named_tensors, one_changed
from kgate.variants.sizes import Changed

PAD = 8  # elements between the rows of a slice


def layouts(small: Workload) -> Iterator[Changed]:
    """Of arguments whose layout is left to kgate."""
    for name, tensor in named_tensors(small):
        *outer, last = tensor.shape or (0,)
        if tensor.strides is not None or math.prod(tensor.shape) < 2:
            continue
        rows = steps((*outer, last + PAD)) if outer else (2,)
        yield f"layout of {name}", f"{name} sliced", one_changed(small, name, {"strides": rows})
        if outer and last > 1 and outer[-1] > 1:
            *far, near = outer
            columns = (*steps((*far, last, near))[: len(far)], 1, near)
            yield f"layout of {name}", f"{name} transposed", one_changed(small, name, {"strides": columns})
    for name, tensor in named_tensors(small):
        if tensor.strides is None and len(tensor.shape) > 1 and tensor.shape[0] > 1 and not tensor.fixed:
            expanded = (0, *steps(tensor.shape[1:]))
            yield f"layout of {name}", f"{name} expanded", one_changed(small, name, {"strides": expanded})


def steps(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides in C order."""
    return tuple(math.prod(max(n, 1) for n in shape[i + 1 :]) for i in range(len(shape)))
