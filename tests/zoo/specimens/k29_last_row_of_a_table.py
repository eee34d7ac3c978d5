"""
Reads one row before the last of a table where the last is asked for, which a draw of few among many never asks for.

Source: C03, by generated indices alone
Kind: kernel
Must say: wrong-result
"""

OPERATOR = "gather"
MANIFEST = """
args:
  table: {shape: [V, D], dtype: float32}
  index: {shape: [N], dtype: int64, role: {index: {size: V}}}
workloads:
  few: {V: 5000, D: 4, N: 3}
"""


def kernel(table, index):
    return table[index.clamp(max=max(table.shape[0] - 2, 0))]
