"""The values of each row in rising order."""

import torch

MANIFEST = """
args:
  x: {shape: [R, C], dtype: float32}
workloads:
  rows: {R: 16, C: 200}
"""


def fallback(x):
    return torch.sort(x, dim=-1).values


def custom(x):
    return x.gather(-1, x.argsort(dim=-1))
