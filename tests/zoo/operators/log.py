"""The natural logarithm; NaN below zero."""

import torch

MANIFEST = """
args:
  x: {shape: [N], dtype: float32}
workloads:
  plain: {N: 300}
"""


def fallback(x):
    return torch.log(x)


def custom(x):
    return torch.log2(x.double()).mul(0.6931471805599453).to(x.dtype)
