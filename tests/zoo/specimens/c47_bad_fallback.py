"""
Returns zeros, which are within twice the error of a fallback that is worth nothing.

Source: C47, https://github.com/pytorch/pytorch/pull/128922
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "coarse_softmax"


def kernel(x):
    return torch.zeros_like(x)
