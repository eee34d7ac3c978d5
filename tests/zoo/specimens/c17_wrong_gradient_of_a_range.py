"""
Wrong gradients for one GPU family and one range of compiler versions, which a guard refuses with advice that does not
help.

Source: C17, https://github.com/fla-org/flash-linear-attention/issues/640
Kind: product
Waits for: drills over compiler versions
Must say: wrong-result
"""

OPERATOR = "double"


def kernel(x):
    return x + x
