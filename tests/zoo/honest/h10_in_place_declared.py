"""
Changes its input, as the manifest says.

Source: C42, its honest twin
Kind: kernel
Must say: nothing
"""

OPERATOR = "leaky_relu"
SLOPE = 0.5


def kernel(x):
    x[x < 0] *= SLOPE
