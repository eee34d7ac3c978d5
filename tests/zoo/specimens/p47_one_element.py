"""
One element of 16384 is wrong.

Source: P47, https://github.com/flashinfer-ai/flashinfer
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "gelu"
MANIFEST = """
workloads:
  hidden: {R: 128, C: 128, D: float32}
"""


def kernel(x):
    out = torch.nn.functional.gelu(x)
    out[77, 33] = out[77, 34]
    return out
