"""
Computes in float32 where the fallback rounds after every step.

Source: C47, its honest twin
Kind: kernel
Must say: nothing
"""

import torch

OPERATOR = "softmax_by_steps"


def kernel(x):
    return torch.softmax(x, dim=-1)
