"""
Returns the head of a buffer that it padded to whole tiles.

Source: C48, its honest twin
Kind: kernel
Must say: nothing
"""

import torch

OPERATOR = "double"


def kernel(x):
    out = torch.empty(-(-len(x) // 128) * 128, dtype=x.dtype, device=x.device)
    out[: len(x)] = x + x
    return out[: len(x)]
