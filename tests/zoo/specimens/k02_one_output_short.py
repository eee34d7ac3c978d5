"""
Returns one of two outputs.

Source: C46, https://github.com/linkedin/Liger-Kernel/issues/421
Kind: kernel
Must say: contract-broken
"""

OPERATOR = "centred"


def kernel(x):
    return x.mean(dim=-1)
