"""Softmax over the last dimension of a matrix."""

import torch

from gallery.paths import ALIGNMENT, FLOATS, dispatched, named, suits

VARIABLE = "GALLERY_SOFTMAX"
KERNELS = {
    "tilelang": {"cuda": FLOATS, "cpu": (torch.float32,)},
    "cutile": {"cuda": FLOATS},
    "triton": {"cuda": FLOATS},
}


def takes(dsl: str, x: torch.Tensor) -> bool:
    if x.ndim != 2:
        return False
    # On an H200, one row of 50257 values keeps one multiprocessor busy, and takes 1.2 to 4.1 times as long as in torch;
    # rows of 257 halves, which cuTile loads value by value, take it 1.7 times as long.
    odd = dsl == "cutile" and x.shape[1] * x.element_size() % ALIGNMENT
    slow = (x.shape[0] == 1 or odd) and not named(VARIABLE, dsl)
    return not slow and suits(KERNELS[dsl], x)


@dispatched(VARIABLE, KERNELS, "gallery.softmax.{}_:softmax", takes)
def softmax(x: torch.Tensor) -> torch.Tensor:
    """
    x [rows, columns] of any strides; the result is dense and of x's dtype. GALLERY_SOFTMAX names the path.

    As in torch, a row that is -inf throughout gives NaN, and so does a row with NaN or inf in it.
    """
    return fallback(x)


def fallback(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=-1)
