"""
The right values in memory of its own, columns one after the other where the fallback has rows.

Source: C48, https://github.com/NVIDIA/cuEquivariance/issues/223
Kind: kernel
Must say: contract-broken
"""

OPERATOR = "transpose"


def kernel(x):
    return x.clone().t()
