"""
Offsets of rows in 16 bits, a model of 32-bit offsets at 2**31 elements: from row 512 on they wrap.

Source: C03, https://github.com/fla-org/flash-linear-attention/issues/1080
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "gather"
MANIFEST = """
workloads:
  vocabulary: {V: 600, D: 64, N: 200}
"""


def kernel(table, index):
    offset = (index * table.shape[1]).to(torch.int16).to(torch.int64) % table.numel()
    columns = torch.arange(table.shape[1], device=table.device)
    return table.reshape(-1)[(offset[:, None] + columns) % table.numel()]
