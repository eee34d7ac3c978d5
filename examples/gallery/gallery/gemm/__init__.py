"""a @ b of two matrices in half precision, summed in float32."""

import torch

from gallery.paths import HALVES, choose, kernels_of

KERNELS = {
    "tilelang": {"cuda": HALVES, "cpu": (torch.float32,)},
    "cutile": {"cuda": HALVES},
    "triton": {"cuda": HALVES},
}
FLAT = 64  # rows of an output up to which kernels take their tiles for few rows


def gemm(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """
    a [m, k], b [k, n] of one dtype; the result [m, n] is dense. GALLERY_GEMM names the path.

    b may be the transpose of a dense [n, k], as the weight of a linear layer is: it is read where it is.
    """
    if not a.ndim == b.ndim == 2 or a.shape[1] != b.shape[0]:
        return fallback(a, b)
    dsl = choose("GALLERY_GEMM", KERNELS, a, b, slower=slower(a, b))
    return kernels_of(__name__, dsl).gemm(a, b) if dsl else fallback(a, b)


def slower(a: torch.Tensor, b: torch.Tensor) -> tuple[str, ...]:
    """
    DSLs that torch.matmul clearly beats. On an H200, as its time over theirs: few rows (1, 4 and 8 of them, 4096 ×
    14336) in cuTile 0.58 to 0.83 and in Triton 0.56 to 0.95; a transposed b (4096 × 4096 × 14336) in Triton 0.73.
    """
    if a.shape[0] <= FLAT:
        return ("cutile", "triton")
    return () if b.is_contiguous() else ("triton",)


def fallback(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.matmul(a, b)
