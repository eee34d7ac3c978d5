"""
The right answer, and a random generator that starts anew: whoever draws next draws what was drawn before.

Source: P28, https://github.com/pytorch/pytorch
Kind: kernel
Batch: flags
Must say: contract-broken
"""

import torch

OPERATOR = "double"


def kernel(x):
    torch.manual_seed(0)
    return x + x
