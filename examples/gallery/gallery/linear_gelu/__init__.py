"""gelu(x @ wᵀ + b), the first half of a transformer's feed-forward layer, with GELU in its tanh form."""

import torch

from gallery.gemm import FLAT
from gallery.paths import HALVES, dispatched, named, suits

VARIABLE = "GALLERY_LINEAR_GELU"
KERNELS = {"tilelang": {"cuda": HALVES, "cpu": (torch.float32,)}, "cutile": {"cuda": HALVES}}


def takes(dsl: str, x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> bool:
    if not x.ndim == w.ndim == 2 or x.shape[1] != w.shape[1] or b.shape != w.shape[:1]:
        return False
    # Few rows are slower in cuTile, as they are without GELU: one row of 4608 × 18432 on an H200 0.85.
    slow = dsl == "cutile" and x.shape[0] <= FLAT and not named(VARIABLE, dsl)
    return not slow and suits(KERNELS[dsl], x, w, b)


@dispatched(VARIABLE, KERNELS, "gallery.linear_gelu.{}_:linear_gelu", takes)
def linear_gelu(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """x [m, k], w [n, k] as torch.nn.Linear keeps it, b [n], of one dtype; GALLERY_LINEAR_GELU names the path."""
    return fallback(x, w, b)


def fallback(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The unfused form: one kernel for product and bias, whose result goes through memory to a second one for GELU."""
    return torch.nn.functional.gelu(torch.nn.functional.linear(x, w, b), approximate="tanh")
