"""
Equal to the fallback bit for bit, because both double exactly: no sign that one ran in the other's place.

Source: P24, the honest twin of a silent fallback
Kind: kernel
Must say: nothing
"""

OPERATOR = "double"


def kernel(x):
    return x * 2.0
