"""
Keeps results below the smallest normal number, as it should.

Source: C10, its honest twin
Kind: kernel
Must say: nothing
"""

OPERATOR = "double"
MANIFEST = """
workloads:
  small: {N: 64}
  tiny: {N: 64, args: {x: {scale: 1.0e-40}}}
"""


def kernel(x):
    return x.mul(2)
