"""x @ w."""

import torch

from acme.paths import answered, dense, switched_on, tilelang_found
from acme.pointwise import name


def matmul(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """x [m, k], w [k, n], not empty; ACME_MATMUL=0 turns the kernel off."""
    return answered(custom, fallback, x, w) if switched_on("ACME_MATMUL") and tilelang_found() else fallback(x, w)


def custom(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """x [m, k], w [k, n]; float32 on the CPU, float16 or bfloat16 on CUDA."""
    from acme.kernels import matmul as kernels

    kernel = kernels.on_cuda(*w.shape, name(x.dtype)) if x.is_cuda else kernels.on_cpu()
    return kernel(dense(x), dense(w))


def fallback(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return torch.matmul(x, w)
