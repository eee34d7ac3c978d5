"""
Two percent slower in each of many changes.

Source: P50, https://github.com/NVIDIA/TileGym
Kind: product
Waits for: history of baselines
Must say: slower-than-baseline
"""

OPERATOR = "double"


def kernel(x):
    return x + x
