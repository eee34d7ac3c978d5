"""The rows of a table that an index names."""

import torch

MANIFEST = """
args:
  table: {shape: [V, D], dtype: float32}
  index: {shape: [N], dtype: int64, integers: {low: 0, high: V}}
workloads:
  tokens: {V: 100, D: 64, N: 40}
"""


def fallback(table, index):
    return table[index]


def custom(table, index):
    return torch.index_select(table, 0, index)
