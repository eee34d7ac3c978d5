"""
The workload that was slow is not in the manifest any more.

Source: P49, https://github.com/NVIDIA/TileGym/issues/108
Kind: product
Must say: gate-loosened
"""

OPERATOR = "double"
MANIFEST = """
workloads:
  small: {N: 64}
"""
BEFORE = """
workloads:
  small: {N: 64}
  slow: {N: 1021}
"""


def kernel(x):
    return x + x
