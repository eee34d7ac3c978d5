"""
The same codes and scales by another division.

Source: C06, its honest twin
Kind: kernel
Must say: nothing
"""

import torch

OPERATOR = "quantise"


def kernel(x):
    scale = torch.linalg.vector_norm(x, ord=float("inf"), dim=-1) / 127
    scale = scale.clamp_min(torch.finfo(torch.float32).tiny)
    return torch.div(x, scale[:, None]).round_().to(torch.int8), scale
