"""
The right answer, and a default dtype that is another afterwards.

Source: P28, https://github.com/ScalingIntelligence/KernelBench
Kind: kernel
Batch: alone
Must say: contract-broken
"""

import torch

OPERATOR = "double"


def kernel(x):
    torch.set_default_dtype(torch.float64)
    return x + x
