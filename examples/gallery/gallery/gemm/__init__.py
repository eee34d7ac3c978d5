"""a @ b of two matrices in half precision, summed in float32."""

import torch

from gallery.paths import HALVES, choose, kernels_of

KERNELS = {
    "tilelang": {"cuda": HALVES, "cpu": (torch.float32,)},
    "cutile": {"cuda": HALVES},
    "triton": {"cuda": HALVES},
}


def gemm(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """
    a [m, k], b [k, n] of one dtype; the result [m, n] is dense. GALLERY_GEMM names the path.

    b may be the transpose of a dense [n, k], as the weight of a linear layer is: it is read where it is.
    """
    dsl = choose("GALLERY_GEMM", KERNELS, a, b)
    if dsl and a.ndim == b.ndim == 2 and a.shape[1] == b.shape[0]:
        return kernels_of(__name__, dsl).gemm(a, b)
    return fallback(a, b)


def fallback(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.matmul(a, b)
