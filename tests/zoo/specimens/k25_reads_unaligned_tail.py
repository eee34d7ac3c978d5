"""
Steps through memory in vectors of 4 and leaves the last elements as zeros.

Source: C02, https://github.com/tile-ai/tilelang/issues/2381
Kind: kernel
Must say: wrong-result
"""

OPERATOR = "double"


def kernel(x):
    out = x.new_zeros(x.shape)
    whole = len(x) // 4 * 4
    out[:whole] = x[:whole] * 2
    return out
