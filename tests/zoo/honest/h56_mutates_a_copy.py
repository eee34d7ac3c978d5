"""
Works in place, on a copy of its own.

Source: C42, its honest twin
Kind: kernel
Must say: nothing
"""

OPERATOR = "double"


def kernel(x):
    own = x.clone()
    own.add_(x)
    return own
