"""
Finds places in the sorted row by counting smaller values, which ties have in common.

Source: P37, https://kernelbench.com
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "sort"
MANIFEST = """
workloads:
  rows: {R: 16, C: 50}
"""


def kernel(x):
    place = (x[:, :, None] > x[:, None, :]).sum(dim=-1)
    return torch.full_like(x, float("nan")).scatter(-1, place, x)
