"""
Right for the one shape that the manifest declares, and for no other.

Source: P29, P32, https://kernelbench.com
Kind: kernel
Must say: wrong-result
"""

OPERATOR = "double"
MANIFEST = """
workloads:
  small: {N: 64}
"""


def kernel(x):
    return x + x if x.shape == (64,) else x + x.mean()
