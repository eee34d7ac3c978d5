"""
Returns a transposed view where the fallback gives dense rows.

Source: C48, https://github.com/pytorch/pytorch/pull/177115
Kind: kernel
Must say: contract-broken
"""

OPERATOR = "transpose"


def kernel(x):
    return x.t()
