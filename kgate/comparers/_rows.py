"""Outputs as rows of float64, and how far two of their numbers may be apart."""

import numpy as np

from kgate.model import Bound, Tensor
from kgate.tensors import Floats, Kind, dtype_of, read_matrix, widened


def rows(tensor: Tensor) -> Floats:
    return widened(read_matrix(tensor))


def whole(tensor: Tensor) -> bool:
    return dtype_of(tensor.dtype).kind in (Kind.INTEGER, Kind.BOOL)


def allowed(expected: Floats, bound: Bound) -> Floats:
    """Of each element; shape (rows, 1) where it depends on the row alone."""
    size = np.abs(np.where(np.isfinite(expected), expected, 0.0))
    if bound.rtol is not None or bound.atol is not None:
        return (bound.atol or 0.0) + (bound.rtol or 0.0) * size
    of_row: Floats = (bound.row_error or 0.0) * size.max(axis=1, keepdims=True, initial=0.0)
    return of_row
