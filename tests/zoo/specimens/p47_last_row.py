"""
The last row is left to a tail that never ran: under one percent of the elements.

Source: P47, https://github.com/tile-ai/tilelang
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "gelu"
MANIFEST = """
workloads:
  hidden: {R: 200, C: 64, D: float32}
"""


def kernel(x):
    out = torch.nn.functional.gelu(x)
    out[-1] = 0
    return out
