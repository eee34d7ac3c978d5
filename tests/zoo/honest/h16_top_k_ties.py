"""
Ties in another order than the fallback has them.

Source: P37, its honest twin
Kind: kernel
Must say: nothing
"""

import torch

OPERATOR = "top_k"
MANIFEST = """
args:
  x: {shape: [R, C], dtype: float32, constant: 1}
"""


def kernel(x):
    turned = x.flip(-1)
    values, indices = torch.sort(turned, dim=-1, descending=True, stable=True)
    return values[:, :8], x.shape[-1] - 1 - indices[:, :8]
