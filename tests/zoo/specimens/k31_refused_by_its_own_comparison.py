"""
A hundredth too large, which its own comparison refuses in its own words.

Source: C05, by a comparison in place of a tolerance
Kind: kernel
Must say: wrong-result
"""

OPERATOR = "double"
MANIFEST = """
compare: operators.double:near
"""


def kernel(x):
    return x * 2.02
