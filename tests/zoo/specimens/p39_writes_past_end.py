"""
Writes one vector beyond the end of the tensor that it was given to fill.

Source: P39, https://github.com/flagos-ai/FlagGems/issues/5230
Kind: kernel
Batch: rough
Must say: contract-broken
"""

import ctypes

OPERATOR = "copy"


def kernel(x, out):
    out.copy_(x)
    ctypes.memset(out.data_ptr() + out.numel() * out.element_size(), 0, 16)
