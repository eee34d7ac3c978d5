"""Running sums along each row."""

import torch

MANIFEST = """
args:
  x: {shape: [R, C], dtype: float32}
workloads:
  rows: {R: 16, C: 64}
"""


def fallback(x):
    return torch.cumsum(x, dim=-1)


def custom(x):
    return x @ torch.ones(x.shape[-1], x.shape[-1], dtype=x.dtype, device=x.device).triu()
