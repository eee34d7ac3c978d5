"""
The largest (or smallest) of each row and where they stand: values within their bound, places all different, and free
only where values tie. A place that the reference has elsewhere, or not at all, must belong to a value that is as good:
of one that the reference has not, only where its last is no worse, since what else was offered is not known here.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from kgate.comparers._rows import allowed, rows, whole
from kgate.model import Comparison, Tensor
from kgate.tensors import Floats

NAME = "topk"
TIES = 2.0  # of the bound: either of two values may be off by one


def broken(outputs: Sequence[Tensor], expected: Sequence[Tensor], found: Sequence[Comparison]) -> list[tuple[str, ...]]:
    valued = [i for i, output in enumerate(outputs) if not whole(output)]
    said = [compared.broken for compared in found]
    for index, output in enumerate(outputs):
        if whole(output):
            beside = next((i for i in valued if outputs[i].shape == output.shape), None)
            scores = None if beside is None else rows(expected[beside])
            slack = None if beside is None or scores is None else TIES * allowed(scores, found[beside].bound)
            said[index] = tuple(misplaced(rows(output), rows(expected[index]), scores, slack))
    return said


def misplaced(places: Floats, right: Floats, scores: Floats | None, slack: Floats | None) -> Iterator[str]:
    """Without values beside them, places are what the reference says."""
    twice = sum(len(row) - len(np.unique(row)) for row in places)
    if twice:
        yield f"{twice} of {places.size} places are named twice in their row"
    elsewhere = places != right
    if scores is not None and slack is not None:
        free = np.broadcast_to(slack, scores.shape)
        for row, column in zip(*np.nonzero(elsewhere), strict=True):
            stands = np.nonzero(right[row] == places[row, column])[0]
            other = scores[row, stands[0]] if len(stands) else scores[row, -1]  # the last that was good enough
            if abs(scores[row, column] - other) <= free[row, column]:
                elsewhere[row, column] = False
    wrong = np.argwhere(elsewhere)
    if len(wrong):
        row, column = wrong[0]
        yield (
            f"{len(wrong)} of {places.size} places hold no value as good as the reference's, first at "
            f"[{row}, {column}]: {places[row, column]:.9g}, expected {right[row, column]:.9g}"
        )
