"""
A read-only token cannot post the comment; the verdict stands all the same.

Source: C51, https://github.com/VowpalWabbit/vowpal_wabbit/pull/4938
Kind: product
Waits for: GitHub: tests/github holds it meanwhile
Must say: nothing
"""

OPERATOR = "double"


def kernel(x):
    return x + x
