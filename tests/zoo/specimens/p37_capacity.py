"""
Sorts by buckets that are wide enough for a normal distribution and clamp what lies outside.

Source: P37, https://kernelbench.com
Kind: kernel
Must say: wrong-result
"""

OPERATOR = "sort"


def kernel(x):
    return x.clamp(-8, 8).sort(dim=-1).values
