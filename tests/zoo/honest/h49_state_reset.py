"""
Keeps its state where the product resets it.

Source: P38, its honest twin
Kind: kernel
Must say: nothing
"""

OPERATOR = "cache"
MANIFEST = """
workloads:
  tokens: {D: 32, weight: 1}
"""


def kernel(cache, row):
    cache.rows[cache.used] = row
    cache.used += 1
    return cache.rows[: cache.used].mean(dim=0)
