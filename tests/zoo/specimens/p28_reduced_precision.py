"""
The right answer, and a process in which float32 products may be computed in less.

Source: P28, https://kernelbench.com
Kind: kernel
Batch: flags
Must say: contract-broken
"""

import torch

OPERATOR = "double"


def kernel(x):
    torch.set_float32_matmul_precision("medium")
    return x + x
