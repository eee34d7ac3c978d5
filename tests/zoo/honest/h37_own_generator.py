"""
Draws from a generator of its own and leaves the global one alone.

Source: P28, its honest twin
Kind: kernel
Must say: nothing
"""

import torch

OPERATOR = "row_sum"
NOISE = torch.Generator().manual_seed(5)


def kernel(x):
    order = torch.randperm(x.shape[1], generator=NOISE).to(x.device)
    return x[:, order].sum(dim=-1)
