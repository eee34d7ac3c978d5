"""
Drops other elements than the fallback, at the same rate.

Source: P33, its honest twin
Kind: kernel
Must say: nothing
"""

import torch

OPERATOR = "dropout"


def kernel(x, seed):
    drawn = torch.rand(x.shape, generator=torch.Generator(x.device).manual_seed(seed * 31 + 7), device=x.device)
    return x * (drawn >= 0.1) / 0.9
