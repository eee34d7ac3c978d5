"""
Rows of equal logits: every weight is 1 / C.

Source: C43, its honest twin
Kind: kernel
Must say: nothing
"""

import torch

OPERATOR = "softmax"
MANIFEST = """
args:
  x: {shape: [R, C], dtype: float32, constant: 3}
workloads:
  flat: {R: 4, C: 300}
"""


def kernel(x):
    weights = torch.exp(x - x.amax(dim=-1, keepdim=True))
    return weights / weights.sum(dim=-1, keepdim=True)
