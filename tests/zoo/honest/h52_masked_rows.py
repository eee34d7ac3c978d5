"""
Zeros in rows that are masked whole, by a finite number that is undone.

Source: C04, C23, its honest twin
Kind: kernel
Must say: nothing
"""

import torch

OPERATOR = "masked_softmax"
MANIFEST = """
workloads:
  scores: {R: 32, C: 64}
  hidden: {R: 8, C: 64, args: {keep: {mask: {p: 0}}}}
"""


def kernel(x, keep):
    weights = torch.softmax(x.masked_fill(~keep, torch.finfo(x.dtype).min), dim=-1)
    return torch.where(keep, weights, 0.0)
