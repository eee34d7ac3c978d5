"""Rows with their mean taken off, divided by their standard deviation."""

import torch

from acme.paths import answered, dense, switched_on, tilelang_found
from acme.pointwise import name

EPSILON = 1e-5


def layer_norm(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """x [rows, columns], w and b [columns], not empty; ACME_LAYER_NORM=0 turns the kernel off."""
    return (
        answered(custom, fallback, x, w, b)
        if switched_on("ACME_LAYER_NORM") and tilelang_found()
        else fallback(x, w, b)
    )


def custom(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """x [rows, columns], w and b [columns]; float32 on the CPU, 16 bits and up to 8192 columns on CUDA."""
    from acme.kernels import layer_norm as kernels

    kernel = kernels.on_cuda(x.shape[1], name(x.dtype)) if x.is_cuda else kernels.on_cpu()
    return kernel(dense(x), dense(w), dense(b))


def fallback(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.layer_norm(x, w.shape, w, b, EPSILON)
