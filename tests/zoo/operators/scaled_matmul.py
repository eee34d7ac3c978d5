"""a @ b where every 128 columns of a share a scale, as block-scaled fp8 products do."""

import torch

MANIFEST = """
args:
  a: {shape: [M, K], dtype: float32}
  b: {shape: [K, N], dtype: float32}
  scales: {shape: ["cdiv(K, 128)"], dtype: float32, uniform: {low: 0.001, high: 0.003}}
workloads:
  square: {M: 16, K: 256, N: 32}
"""
BLOCK = 128


def fallback(a, b, scales):
    return (a * scales.repeat_interleave(BLOCK)[: a.shape[1]]) @ b


def custom(a, b, scales):
    blocks = zip(a.split(BLOCK, dim=1), b.split(BLOCK), scales, strict=True)
    return torch.stack([(left @ right) * scale for left, right, scale in blocks]).sum(dim=0)
