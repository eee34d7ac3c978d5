"""
Four parts of K, added up at the end.

Source: C02, its honest twin
Kind: kernel
Must say: nothing
"""

import torch

OPERATOR = "matmul"


def kernel(a, b):
    parts = [left @ right for left, right in zip(a.chunk(4, dim=1), b.chunk(4), strict=True)]
    return torch.stack(parts).sum(dim=0)
