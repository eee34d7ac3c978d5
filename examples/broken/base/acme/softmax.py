"""Softmax over the last dimension of a matrix."""

import torch

from acme.paths import answered, dense, switched_on, tilelang_found
from acme.pointwise import name


def softmax(x: torch.Tensor) -> torch.Tensor:
    """x [rows, columns], not empty; ACME_SOFTMAX=0 turns the kernel off."""
    return answered(custom, fallback, x) if switched_on("ACME_SOFTMAX") and tilelang_found() else fallback(x)


def custom(x: torch.Tensor) -> torch.Tensor:
    """x [rows, columns]; float32 on the CPU, float16 or bfloat16 and up to 8192 columns on CUDA."""
    from acme.kernels import softmax as kernels

    kernel = kernels.on_cuda(x.shape[1], name(x.dtype)) if x.is_cuda else kernels.on_cpu()
    return kernel(dense(x))


def fallback(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=-1)
