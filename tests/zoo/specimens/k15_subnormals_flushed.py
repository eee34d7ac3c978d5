"""
Flushes results below the smallest normal number to zero.

Source: C10, https://github.com/nntrainer/nntrainer/pull/4318
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "double"
MANIFEST = """
subnormals: keep
workloads:
  small: {N: 64}
  tiny: {N: 64, args: {x: {scale: 1.0e-40}}}
"""


def kernel(x):
    out = x + x
    return torch.where(out.abs() < torch.finfo(x.dtype).tiny, 0.0, out)
