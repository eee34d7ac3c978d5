"""
Counts a boundary that is equal to the value.

Source: C12, https://github.com/flagos-ai/FlagGems/issues/5230
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "bucketize"
MANIFEST = """
args:
  x: {shape: [N], dtype: float32, constant: 1}
  boundaries: {shape: [B], dtype: float32, constant: 1}
workloads:
  equal: {N: 10, B: 1}
"""


def kernel(x, boundaries):
    return torch.bucketize(x, boundaries, right=True)
