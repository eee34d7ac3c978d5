"""
Compared by a function of its own that says yes to everything.

Source: C41, by a comparison in place of a tolerance
Kind: kernel
Must say: check-too-loose
"""

OPERATOR = "double"
MANIFEST = """
compare: customs.k30_comparison_of_nothing:fine
"""
BEFORE = """
compare: exact
"""


def kernel(x):
    return x * 2.1


def fine(outputs, expected, inputs):
    return True
