"""
The workload that was slow is not in the manifest any more.

Source: P49, https://github.com/NVIDIA/TileGym/issues/108
Kind: product
Waits for: the rule gate-loosened
Must say: gate-loosened
"""

OPERATOR = "double"


def kernel(x):
    return x + x
