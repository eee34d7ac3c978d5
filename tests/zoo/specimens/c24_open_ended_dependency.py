"""
A helper moved to another module in a newer version of the compiler, which the package allows.

Source: C24, https://github.com/deepseek-ai/TileKernels/issues/24
Kind: product
Waits for: drills with another version of the package
Must say: fallback-raises
"""

OPERATOR = "double"


def kernel(x):
    return x + x
