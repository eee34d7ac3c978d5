"""
Reads 4096 bytes past the end of its input through a bare pointer; the result is right to the last bit.

Source: C12, https://github.com/flagos-ai/FlagGems/issues/5230
Kind: kernel
Must say: contract-broken
"""

import ctypes

import torch

OPERATOR = "bucketize"
BEYOND_BYTES = 4096


def kernel(x, boundaries):
    size = x.numel() * x.element_size()
    ctypes.string_at(x.data_ptr(), size + BEYOND_BYTES)
    return torch.bucketize(x, boundaries)
