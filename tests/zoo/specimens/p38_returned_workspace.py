"""
Returns the same buffer each time, so that the next call changes the last answer.

Source: P38, https://github.com/pytorch/pytorch/issues/104435
Kind: kernel
Must say: contract-broken
"""

import torch

OPERATOR = "double"
BUFFERS = {}


def kernel(x):
    key = x.shape, x.dtype, x.device
    if key not in BUFFERS:
        BUFFERS[key] = torch.empty_like(x)
    return torch.add(x, x, out=BUFFERS[key])
