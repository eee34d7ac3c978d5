"""Softmax over the last dimension of a matrix."""

import torch

from gallery.paths import ALIGNMENT, FLOATS, choose, kernels_of

KERNELS = {
    "tilelang": {"cuda": FLOATS, "cpu": (torch.float32,)},
    "cutile": {"cuda": FLOATS},
    "triton": {"cuda": FLOATS},
}


def softmax(x: torch.Tensor) -> torch.Tensor:
    """
    x [rows, columns] of any strides; the result is dense and of x's dtype. GALLERY_SOFTMAX names the path.

    As in torch, a row that is -inf throughout gives NaN, and so does a row with NaN or inf in it.
    """
    if x.ndim != 2:
        return fallback(x)
    # Rows of 257 halves, which cuTile loads value by value, take it 1.7 times as long as torch on an H200.
    uneven = x.shape[1] * x.element_size() % ALIGNMENT
    dsl = choose("GALLERY_SOFTMAX", KERNELS, x, slower=("cutile",) if uneven else ())
    return kernels_of(__name__, dsl).softmax(x) if dsl else fallback(x)


def fallback(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=-1)
