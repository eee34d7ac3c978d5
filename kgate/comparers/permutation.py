"""
Routing and sorting with ties: each row has the reference's numbers, in any order. Whole numbers are the same ones,
floats within their bound once both rows are sorted.
"""

from collections.abc import Sequence

import numpy as np

from kgate.comparers._rows import allowed, rows, whole
from kgate.model import Comparison, Tensor

NAME = "permutation"


def broken(outputs: Sequence[Tensor], expected: Sequence[Tensor], found: Sequence[Comparison]) -> list[tuple[str, ...]]:
    return [reordered(*each) for each in zip(outputs, expected, found, strict=True)]


def reordered(output: Tensor, wanted: Tensor, compared: Comparison) -> tuple[str, ...]:
    value, right = np.sort(rows(output), axis=1), np.sort(rows(wanted), axis=1)
    free = 0.0 if whole(output) else allowed(right, compared.bound)
    with np.errstate(invalid="ignore"):
        apart = ~((value == right) | (np.abs(value - right) <= free) | (np.isnan(value) & np.isnan(right)))
    bad = np.nonzero(apart.any(axis=1))[0]
    if not len(bad):
        return ()
    return (f"{len(bad)} of {len(right)} rows hold other numbers than the reference's, first row {bad[0]}",)
