"""Softmax over the last dimension of a matrix."""

import torch

MANIFEST = """
args:
  x: {shape: [R, C], dtype: D}
workloads:
  scores: {R: 32, C: 128, D: float32}
  odd: {R: 5, C: 101, D: float32}
"""


def fallback(x):
    return torch.softmax(x, dim=-1)


def custom(x):
    weights = torch.exp(x.float() - x.float().amax(dim=-1, keepdim=True))
    return (weights / weights.sum(dim=-1, keepdim=True)).to(x.dtype)
