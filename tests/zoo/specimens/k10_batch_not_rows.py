"""
Normalises by the whole batch, so that a row alone comes out differently.

Source: C01, https://github.com/NVIDIA/TransformerEngine/pull/2746
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "softmax"
MANIFEST = """
workloads:
  scores: {R: 32, C: 128, D: float32}
  apart: {R: 32, C: 128, D: float32, args: {x: {scale: 200}}}
"""


def kernel(x):
    weights = torch.exp(x - x.max())
    return weights / weights.sum(dim=-1, keepdim=True)
