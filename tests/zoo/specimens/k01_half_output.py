"""
Returns float16 where the fallback returns float32.

Source: C46, P48, https://github.com/linkedin/Liger-Kernel/issues/421
Kind: kernel
Must say: contract-broken
"""

OPERATOR = "double"


def kernel(x):
    return (x + x).half()
