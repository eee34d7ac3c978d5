"""
The custom path is the fallback under another name.

Source: P25, P52, https://arxiv.org/abs/2507.11948
Kind: kernel
Must say: path-not-taken
"""

from operators.softmax import fallback

OPERATOR = "softmax"


def kernel(x):
    return fallback(x)
