"""x + y of one-dimensional float32 tensors."""

import torch

from acme.paths import answered, dense, switched_on, tilelang_found


def vector_add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """x, y [n] of any dtype on one device; ACME_VECTOR_ADD=0 turns the kernel off from the next call on."""
    if switched_on("ACME_VECTOR_ADD") and supported(x, y) and tilelang_found():
        return answered(custom, fallback, x, y)
    return fallback(x, y)


def supported(x: torch.Tensor, y: torch.Tensor) -> bool:
    return x.dtype == y.dtype == torch.float32 and x.ndim == 1 and x.shape == y.shape and x.numel() > 0


def custom(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """x, y [n] float32, n > 0."""
    from acme.kernels import vector_add as kernels

    kernel = kernels.on_cuda() if x.is_cuda else kernels.on_cpu()
    return kernel(dense(x), dense(y))


def fallback(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.add(x, y)
