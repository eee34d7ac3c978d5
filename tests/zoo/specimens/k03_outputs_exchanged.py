"""
Returns both outputs in the wrong order.

Source: C46, https://github.com/linkedin/Liger-Kernel/issues/421
Kind: kernel
Must say: contract-broken
"""

OPERATOR = "centred"


def kernel(x):
    mean = x.mean(dim=-1)
    return x - mean[:, None], mean
