"""
Tries for a faster package and has a way of its own without it.

Source: C19, C21, its honest twin
Kind: kernel
Must say: nothing
"""

import torch

OPERATOR = "softmax"


try:
    from no_such_package import softmax as fast
except ImportError:
    fast = None


def kernel(x):
    if fast is not None:
        return fast(x)
    weights = torch.exp(x - x.amax(dim=-1, keepdim=True))
    return weights / weights.sum(dim=-1, keepdim=True)
