"""
The largest finite number where the reference is infinite.

Source: P23, https://github.com/flashinfer-ai/flashinfer
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "exp"
MANIFEST = """
workloads:
  plain: {N: 300}
  loud: {N: 300, args: {x: {scale: 100}}}
"""


def kernel(x):
    return torch.exp(x).clamp_max(torch.finfo(x.dtype).max)
