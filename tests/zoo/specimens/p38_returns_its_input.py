"""
Doubles its input in place and returns it.

Source: P38, https://github.com/pytorch/pytorch/issues/144386
Kind: kernel
Must say: contract-broken
"""

OPERATOR = "double"


def kernel(x):
    return x.add_(x)
