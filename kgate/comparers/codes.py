"""
Quantised values and their scales: scales and other floats within their bound, and codes that are right but for a few,
by one step each. Where a quotient lies between two codes, rounding decides, and another division may round otherwise.
"""

from collections.abc import Sequence

import numpy as np

from kgate.comparers._rows import rows, whole
from kgate.model import Comparison, Tensor

NAME = "codes"
# Of codes that may be one step off. One float32 quotient in some 30,000 lies within rounding of the boundary between
# two of 256 codes; this leaves room for scales that are themselves a few units apart.
SHARE = 1 / 1000
FEWEST = 1  # whatever the share of a small output


def broken(outputs: Sequence[Tensor], expected: Sequence[Tensor], found: Sequence[Comparison]) -> list[tuple[str, ...]]:
    return [
        coded(output, wanted) if whole(output) else compared.broken
        for output, wanted, compared in zip(outputs, expected, found, strict=True)
    ]


def coded(output: Tensor, wanted: Tensor) -> tuple[str, ...]:
    apart = np.abs(rows(output) - rows(wanted))
    far, near = int(np.count_nonzero(apart > 1)), int(np.count_nonzero(apart == 1))
    most = max(FEWEST, int(SHARE * apart.size))
    if far:
        return (f"{far} of {apart.size} codes are off by more than one step, by {apart.max():.9g} at most",)
    return (f"{near} of {apart.size} codes are off by one, at most {most} may be",) if near > most else ()
