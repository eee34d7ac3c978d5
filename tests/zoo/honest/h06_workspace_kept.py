"""
Keeps a workspace per shape and returns fresh memory.

Source: P38, its honest twin
Kind: kernel
Must say: nothing
"""

import torch

OPERATOR = "double"
MANIFEST = """
workloads:
  small: {N: 64, weight: 1}
"""
SPACES = {}


def kernel(x):
    key = x.shape, x.dtype, x.device
    if key not in SPACES:
        SPACES[key] = torch.empty_like(x)
    return torch.add(x, x, out=SPACES[key]).clone()
