"""x + y of two vectors."""

import torch

from gallery.paths import ALIGNMENT, FLOATS, choose, kernels_of

KERNELS = {
    "tilelang": {"cuda": FLOATS, "cpu": (torch.float32,)},
    "cutile": {"cuda": FLOATS},
    "triton": {"cuda": FLOATS},
}


def vector_add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """x, y [n] of one dtype, of any stride; the result [n] is dense. GALLERY_VECTOR_ADD names the path."""
    # cuTile adds an odd number of values in 1.2 times torch's time on an H200: its last tile is an array of its own.
    uneven = x.numel() * x.element_size() % ALIGNMENT
    dsl = choose("GALLERY_VECTOR_ADD", KERNELS, x, y, slower=("cutile",) if uneven else ())
    if dsl and x.ndim == 1 and x.shape == y.shape:
        return kernels_of(__name__, dsl).vector_add(x, y)
    return fallback(x, y)


def fallback(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.add(x, y)
