"""
The right answer, and one thread left to everybody after it.

Source: P28, https://github.com/pytorch/pytorch
Kind: kernel
Batch: flags
Must say: contract-broken
"""

import torch

OPERATOR = "double"


def kernel(x):
    torch.set_num_threads(1 + torch.get_num_threads() % 2)
    return x + x
