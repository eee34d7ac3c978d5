"""
Sorts its input in place, so that every later call has less to do; the answer is right.

Source: P21, https://github.com/gpu-mode/reference-kernels
Kind: kernel
Must say: contract-broken
"""

OPERATOR = "sort"
MANIFEST = """
workloads:
  rows: {R: 16, C: 200, weight: 1}
"""


def kernel(x):
    values = x.sort(dim=-1).values
    x.copy_(values)
    return values
