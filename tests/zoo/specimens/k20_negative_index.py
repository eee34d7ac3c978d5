"""
Takes the remainder of an index as C does, so that a negative one is another row.

Source: C03, https://github.com/fla-org/flash-linear-attention/issues/1080
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "gather"
MANIFEST = """
args:
  table: {shape: [V, D], dtype: float32}
  index: {shape: [N], dtype: int64, integers: {low: -20, high: V}}
"""


def kernel(table, index):
    return table[torch.where(index < 0, -index, index)]
