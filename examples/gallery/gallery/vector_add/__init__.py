"""x + y of two vectors."""

import torch

from gallery.paths import ALIGNMENT, FLOATS, dispatched, named, suits

VARIABLE = "GALLERY_VECTOR_ADD"
KERNELS = {
    "tilelang": {"cuda": FLOATS, "cpu": (torch.float32,)},
    "cutile": {"cuda": FLOATS},
    "triton": {"cuda": FLOATS},
}


def takes(dsl: str, x: torch.Tensor, y: torch.Tensor) -> bool:
    # cuTile adds an odd number of values in 1.2 times torch's time on an H200: its last tile is an array of its own.
    slow = dsl == "cutile" and x.numel() * x.element_size() % ALIGNMENT and not named(VARIABLE, dsl)
    return x.ndim == 1 and x.shape == y.shape and not slow and suits(KERNELS[dsl], x, y)


@dispatched(VARIABLE, KERNELS, "gallery.vector_add.{}_:vector_add", takes)
def vector_add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """x, y [n] of one dtype, of any stride; the result [n] is dense. GALLERY_VECTOR_ADD names the path."""
    return fallback(x, y)


def fallback(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.add(x, y)
