"""
The right answer, and tiny numbers flushed to zero for everybody after it.

Source: P28, https://github.com/pytorch/pytorch
Kind: kernel
Batch: flags
Must say: contract-broken
"""

import torch

OPERATOR = "double"


def kernel(x):
    torch.set_flush_denormal(True)
    return x + x
