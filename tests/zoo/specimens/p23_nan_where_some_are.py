"""
NaN for every element where the reference has NaN for some.

Source: P23, https://github.com/tile-ai/tilelang
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "log"


def kernel(x):
    return torch.full_like(x, float("nan"))
