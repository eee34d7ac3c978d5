"""
What is drawn at random, with the reference's own draw beside it. Of floats (dropout): as many zeros, and where neither
is zero the same number. Of whole numbers: no value that is not in the reference's range, and the same frequencies.

Both tests are of two samples, and a right kernel fails one in a run of some million.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from kgate.comparers._rows import allowed, rows, whole
from kgate.model import Bound, Comparison, Tensor
from kgate.tensors import Floats

NAME = "sampler"
DEVIATIONS = 5.0  # of a standard normal: two in 3.5 million lie beyond
RAREST = 5  # expected of a category, or it is counted with the other rare ones (Cochran's rule)


def broken(outputs: Sequence[Tensor], expected: Sequence[Tensor], found: Sequence[Comparison]) -> list[tuple[str, ...]]:
    return [
        tuple(frequencies(rows(o), rows(e)) if whole(o) else dropped(rows(o), rows(e), c.bound))
        for o, e, c in zip(outputs, expected, found, strict=True)
    ]


def dropped(value: Floats, right: Floats, bound: Bound) -> Iterator[str]:
    ours, theirs = (int(np.count_nonzero(a == 0)) for a in (value, right))
    pooled = (ours + theirs) / max(2 * value.size, 1)
    deviation = math.sqrt(max(2 * pooled * (1 - pooled) * value.size, 1.0))
    if abs(ours - theirs) > DEVIATIONS * deviation:
        yield (
            f"{ours / value.size:.2%} of the elements are 0, of the reference's {theirs / value.size:.2%}: "
            f"{abs(ours - theirs) / deviation:.0f} standard deviations apart"
        )
    both = (value != 0) & (right != 0)
    with np.errstate(invalid="ignore"):
        apart = both & ~((np.abs(value - right) <= allowed(right, bound)) | (np.isnan(value) & np.isnan(right)))
    if apart.any():
        row, column = np.argwhere(apart)[0]
        yield (
            f"{np.count_nonzero(apart)} of {np.count_nonzero(both)} elements that neither drops differ, first at "
            f"[{row}, {column}]: {value[row, column]:.9g}, expected {right[row, column]:.9g}"
        )


def frequencies(value: Floats, right: Floats) -> Iterator[str]:
    """Pearson's two-sample statistic, as a normal deviate by Wilson and Hilferty (PNAS 17, 1931)."""
    kinds = np.union1d(value, right)
    if value.size and right.size and (value.min() < right.min() - 1 or value.max() > right.max() + 1):
        lowest, highest = right.min(), right.max()
        yield f"values from {value.min():.9g} to {value.max():.9g}, the reference's {lowest:.9g} to {highest:.9g}"
        return
    ours, theirs = (np.array([np.count_nonzero(a == k) for k in kinds], dtype=float) for a in (value, right))
    common = ours + theirs >= 2 * RAREST
    pairs = [np.append(n[common], n[~common].sum()) for n in (ours, theirs)]
    both = pairs[0] + pairs[1]
    statistic = float((((pairs[0] - pairs[1]) ** 2)[both > 0] / both[both > 0]).sum())
    freedom = int(np.count_nonzero(both)) - 1
    if freedom < 1:
        return
    spread = 2 / (9 * freedom)
    deviate = ((statistic / freedom) ** (1 / 3) - (1 - spread)) / math.sqrt(spread)
    if deviate > DEVIATIONS:
        yield f"its frequencies are {deviate:.0f} standard deviations from the reference's (chi-square {statistic:.4g})"
