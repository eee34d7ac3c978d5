"""
A cache of compiled kernels whose key leaves the compile options out: an edit has no effect.

Source: C20, https://github.com/tile-ai/tilelang/issues/891
Kind: product
Waits for: a private cache of compiled kernels for each arm, and code hashes on a CPU
Must say: wrong-result
"""

OPERATOR = "double"


def kernel(x):
    return x + x
