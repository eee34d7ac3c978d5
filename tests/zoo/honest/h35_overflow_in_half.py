"""
16 bits overflow to infinity, as they do for the fallback.

Source: P23, its honest twin
Kind: kernel
Must say: nothing
"""

OPERATOR = "add"
MANIFEST = """
workloads:
  loud: {R: 16, C: 64, D: float16, args: {x: {scale: 40000}, y: {scale: 40000}}}
"""


def kernel(x, y):
    return (x.float() + y.float()).to(x.dtype)
