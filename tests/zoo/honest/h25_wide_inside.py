"""
float64 inside, and the result rounded once.

Source: C37, its honest twin
Kind: kernel
Must say: nothing
"""

OPERATOR = "matmul"


def kernel(a, b):
    return (a.double() @ b.double()).to(a.dtype)
