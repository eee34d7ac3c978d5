"""
Right up to 2048 columns; wider rows are cut there.

Source: P29, https://kernelbench.com
Kind: kernel
Must say: wrong-result
"""

OPERATOR = "row_sum"
MANIFEST = """
workloads:
  narrow: {R: 8, C: 2048}
  wide: {R: 8, C: 4096}
"""


def kernel(x):
    return x[:, :2048].sum(dim=-1)
