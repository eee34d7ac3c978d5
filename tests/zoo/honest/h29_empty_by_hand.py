"""
Answers an empty input without a launch.

Source: C07, its honest twin
Kind: kernel
Must say: nothing
"""

import torch

OPERATOR = "double"
MANIFEST = """
workloads:
  plain: {N: 64}
  empty: {N: 0}
"""


def kernel(x):
    return torch.empty_like(x) if not x.numel() else x + x
