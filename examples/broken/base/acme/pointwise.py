"""Runs a TileLang kernel on two tensors, element by element."""

import torch

from acme.paths import dense


def pointwise(operation: str, x: torch.Tensor, y: torch.Tensor, out_dtype: torch.dtype) -> torch.Tensor:
    """x, y of one shape and dtype, not empty; the CPU's kernel knows float32 alone, so it works on converted copies."""
    from acme.kernels import pointwise as kernels

    if x.is_cuda:
        kernel = kernels.on_cuda(operation, name(x.dtype), name(out_dtype))
        return kernel(dense(x).view(-1), dense(y).view(-1)).view(x.shape)
    kernel = kernels.on_cpu(operation)
    return kernel(dense(x.float()).view(-1), dense(y.float()).view(-1)).view(x.shape).to(out_dtype)


def name(dtype: torch.dtype) -> str:
    """As TileLang spells it: bfloat16 for torch.bfloat16."""
    return str(dtype).removeprefix("torch.")
