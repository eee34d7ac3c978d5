"""
Returns the mean of the losses where every token has one of its own.

Source: C46, P48, https://github.com/linkedin/Liger-Kernel/issues/421
Kind: kernel
Must say: contract-broken
"""

import torch

OPERATOR = "cross_entropy"


def kernel(logits, target):
    return torch.nn.functional.cross_entropy(logits, target)
