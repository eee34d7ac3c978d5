"""
Returns memory that it never wrote, in the hope that an earlier answer lies there.

Source: C42, P19, https://github.com/ScalingIntelligence/KernelBench/pull/82
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "double"


def kernel(x):
    return torch.empty_like(x)
