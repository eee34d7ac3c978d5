"""e to the power of x."""

import torch

MANIFEST = """
args:
  x: {shape: [N], dtype: float32}
workloads:
  plain: {N: 300}
"""


def fallback(x):
    return torch.exp(x)


def custom(x):
    return torch.exp2(x.double() * 1.4426950408889634).to(x.dtype)
