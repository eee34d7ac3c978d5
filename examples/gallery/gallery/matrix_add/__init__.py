"""x + y of two matrices, whose rows may lie apart: a slice of a wider buffer is read where it is."""

import torch

from gallery.paths import FLOATS, dispatched, suits

KERNELS = {
    "tilelang": {"cuda": FLOATS, "cpu": (torch.float32,)},
    "cutile": {"cuda": FLOATS},
    "triton": {"cuda": FLOATS},
}


def takes(dsl: str, x: torch.Tensor, y: torch.Tensor) -> bool:
    return x.ndim == 2 and x.shape == y.shape and suits(KERNELS[dsl], x, y)


@dispatched("GALLERY_MATRIX_ADD", KERNELS, "gallery.matrix_add.{}_:matrix_add", takes)
def matrix_add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """x, y [rows, columns] of one dtype, of any strides; the result is dense. GALLERY_MATRIX_ADD names the path."""
    return fallback(x, y)


def fallback(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.add(x, y)
