"""
NaN below zero and -inf at zero, as the logarithm has them.

Source: P23, its honest twin
Kind: kernel
Must say: nothing
"""

import torch

OPERATOR = "log"
MANIFEST = """
workloads:
  plain: {N: 300}
  zeros: {N: 300, args: {x: {zeros: 0.3}}}
"""


def kernel(x):
    return torch.where(x < 0, float("nan"), torch.log(x.clamp_min(0)))
