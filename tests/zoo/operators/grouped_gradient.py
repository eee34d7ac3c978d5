"""For each expert the gradient of its weight: x.T @ y of its rows, zeros where it has none."""

import torch

MANIFEST = """
args:
  x: {shape: [T, K], dtype: float32}
  y: {shape: [T, N], dtype: float32}
  sizes: [4, 8, 4]
workloads:
  even: {T: 16, K: 32, N: 24}
"""


def fallback(x, y, sizes):
    return torch.stack([left.T @ right for left, right in zip(x.split(sizes), y.split(sizes), strict=True)])


def custom(x, y, sizes):
    out = x.new_zeros(len(sizes), x.shape[1], y.shape[1])
    for group, left, right in zip(out, x.split(sizes), y.split(sizes), strict=True):
        group.addmm_(left.T, right)
    return out
