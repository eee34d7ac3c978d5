"""x times the normal distribution function of x."""

import torch

MANIFEST = """
args:
  x: {shape: [R, C], dtype: D}
workloads:
  hidden: {R: 16, C: 256, D: float32}
"""


def fallback(x):
    return torch.nn.functional.gelu(x)


def custom(x):
    wide = x.double()
    return (0.5 * wide * torch.erfc(-wide / 2**0.5)).to(x.dtype)
