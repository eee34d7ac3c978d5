"""
Counts its calls for the product and answers all of them alike.

Source: P05, its honest twin
Kind: kernel
Must say: nothing
"""

OPERATOR = "sort"
MANIFEST = """
workloads:
  rows: {R: 16, C: 200, weight: 1}
"""
COUNT = {"calls": 0}


def kernel(x):
    COUNT["calls"] += 1
    return x.sort(dim=-1).values
