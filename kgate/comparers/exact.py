"""Every number is the very one, NaN being NaN; the float64 reference is rounded to the output's dtype first."""

from collections.abc import Sequence

import numpy as np

from kgate.comparers._rows import whole
from kgate.model import Comparison, Tensor
from kgate.tensors import dtype_of, narrowed, read_matrix, widened

NAME = "exact"


def broken(outputs: Sequence[Tensor], expected: Sequence[Tensor], found: Sequence[Comparison]) -> list[tuple[str, ...]]:
    return [differ(output, wanted) for output, wanted in zip(outputs, expected, strict=True)]


def differ(output: Tensor, wanted: Tensor) -> tuple[str, ...]:
    value, right = read_matrix(output), read_matrix(wanted)
    if not whole(output):
        right = narrowed(widened(right), dtype_of(output.dtype))
    apart = int(np.count_nonzero((value != right) & ~((value != value) & (right != right))))
    return (f"{apart} of {value.size} elements differ, none may",) if apart else ()
