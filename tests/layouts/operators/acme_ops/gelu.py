import os

import torch

from acme_ops._cutile import gelu as cutile

FUSED = os.environ.get("ACME_FUSED_GELU", "1") != "0"


@torch.library.custom_op("acme::gelu_mul", mutates_args=(), device_types="cuda")
def gelu_mul_op(x: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
    return cutile.launch(x, gate)


@gelu_mul_op.register_kernel("cpu")
def gelu_mul_eager(x: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
    return x * torch.nn.functional.gelu(gate, approximate="tanh")


@gelu_mul_op.register_fake
def _(x: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


def gelu_mul(x: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
    if FUSED and x.is_cuda:
        return torch.ops.acme.gelu_mul(x, gate)
    return gelu_mul_eager(x, gate)
