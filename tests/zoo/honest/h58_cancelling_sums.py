"""
Sums that nearly cancel: the error is that of the terms and not of the result.

Source: C05, its honest twin
Kind: kernel
Must say: nothing
"""

import torch

OPERATOR = "row_sum"
MANIFEST = """
args:
  x: {shape: [R, C], dtype: float32, scale: 1000}
workloads:
  wide: {R: 64, C: 1024}
"""


def kernel(x):
    return torch.einsum("rc->r", x.flip(-1))
