"""
The right answer, and an input that is not what it was.

Source: C42, P20, https://github.com/ScalingIntelligence/KernelBench/pull/82
Kind: kernel
Must say: contract-broken
"""

OPERATOR = "double"


def kernel(x):
    out = x + x
    x[0] = -x[0]
    return out
