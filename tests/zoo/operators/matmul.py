"""a @ b."""

import torch

MANIFEST = """
args:
  a: {shape: [M, K], dtype: D}
  b: {shape: [K, N], dtype: D}
workloads:
  square: {M: 64, K: 64, N: 64, D: float32}
  wide: {M: 8, K: 128, N: 96, D: float32}
"""


def fallback(a, b):
    return a @ b


def custom(a, b):
    middle = a.shape[1] // 2
    return torch.addmm(a[:, middle:] @ b[middle:], a[:, :middle], b[:middle])
