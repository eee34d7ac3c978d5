"""
Leaves an empty input to the fallback, since there is nothing to launch.

Source: C21, its honest twin
Kind: kernel
Must say: nothing
"""

from operators.double import fallback

OPERATOR = "double"
MANIFEST = """
workloads:
  plain: {N: 64}
  empty: {N: 0}
"""


def kernel(x):
    return x + x if x.numel() else fallback(x)
