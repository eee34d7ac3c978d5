"""
Reads element 0 of its input for a parameter; an empty input has none.

Source: C07, https://github.com/pytorch/pytorch/pull/46572
Kind: kernel
Must say: does-not-run
"""

OPERATOR = "double"
MANIFEST = """
workloads:
  plain: {N: 64}
  empty: {N: 0}
"""


def kernel(x):
    return x * (2 * (1 + 0 * x.reshape(-1)[0]))
