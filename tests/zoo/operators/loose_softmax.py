"""Softmax under a tolerance by hand that was always too loose: no value of it is as large."""

import torch

MANIFEST = """
args:
  x: {shape: [R, C], dtype: float32}
tolerance: {float32: {rtol: 0.01, atol: 0.01}}
workloads:
  wide: {R: 4, C: 20000}
"""


def fallback(x):
    return torch.softmax(x, dim=-1)


def custom(x):
    weights = torch.exp(x - x.amax(dim=-1, keepdim=True))
    return weights / weights.sum(dim=-1, keepdim=True)
