"""
Zeros, because zeros are the answer.

Source: C41, its honest twin
Kind: kernel
Must say: nothing
"""

import torch

OPERATOR = "double"
MANIFEST = """
args:
  x: {shape: [N], dtype: float32, constant: 0}
workloads:
  small: {N: 64}
"""


def kernel(x):
    return torch.zeros_like(x)
