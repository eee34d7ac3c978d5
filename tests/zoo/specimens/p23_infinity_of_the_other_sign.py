"""
An overflow that comes out as the infinity of the other sign.

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
    out = torch.exp(x)
    return torch.where(out.isinf(), -out, out)
