"""
Infinite where the fallback is.

Source: P23, its honest twin
Kind: kernel
Must say: nothing
"""

import torch

OPERATOR = "exp"
MANIFEST = """
workloads:
  small: {N: 300, args: {x: {scale: 0.5}}}
"""


def kernel(x):
    return torch.exp2(x * 1.4426950408889634)
