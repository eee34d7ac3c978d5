"""x where it is positive, else half of it, in place."""

import torch

MANIFEST = """
args:
  x: {shape: [N], dtype: float32}
mutates: [x]
workloads:
  hidden: {N: 500}
"""
SLOPE = 0.5


def fallback(x):
    torch.nn.functional.leaky_relu(x, SLOPE, inplace=True)


def custom(x):
    x.mul_(torch.where(x > 0, 1.0, SLOPE))
