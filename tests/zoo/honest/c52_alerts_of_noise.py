"""
Forty kernels with no change between them, whose times scatter.

Source: C52, https://github.com/shakacode/react_on_rails/issues/3169
Kind: product
Waits for: benchmarks/error_rates.py, which holds it on simulated times
Must say: nothing
"""

OPERATOR = "double"


def kernel(x):
    return x + x
