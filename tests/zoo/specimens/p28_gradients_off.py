"""
The right answer, and gradients turned off for everybody.

Source: P28, https://github.com/ScalingIntelligence/KernelBench
Kind: kernel
Batch: flags
Must say: contract-broken
"""

import torch

OPERATOR = "double"


def kernel(x):
    torch.set_grad_enabled(False)
    return x + x
