"""Softmax of loud logits; the fallback rounds them to bfloat16 on the way, so its own error is past every bound."""

import torch

MANIFEST = """
args:
  x: {shape: [R, C], dtype: float32, scale: 8}
reference: operators.coarse_softmax:exact
workloads:
  loud: {R: 16, C: 128}
"""


def exact(x):
    return torch.softmax(x.double(), dim=-1)


def fallback(x):
    return torch.softmax(x.to(torch.bfloat16), dim=-1).to(x.dtype)


def custom(x):
    return torch.softmax(x, dim=-1)
