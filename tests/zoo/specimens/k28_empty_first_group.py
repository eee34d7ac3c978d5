"""
Takes the first row of every group to begin its sum with, so that a group with no row gets another group's.

Source: C11, by generated offsets alone
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "group_sum"
MANIFEST = """
workloads:
  few: {T: 48, C: 16, G: 2}
"""


def kernel(x, offsets):
    starts = offsets[:-1].clamp(max=max(x.shape[0] - 1, 0))
    sums = [x[start] + x[start + 1 : end].sum(dim=0) for start, end in zip(starts, offsets[1:], strict=True)]
    return torch.stack(sums)
