"""
Walks memory by the strides that it is given.

Source: C01, its honest twin
Kind: kernel
Must say: nothing
"""

OPERATOR = "row_sum"
MANIFEST = """
workloads:
  sliced: {R: 64, C: 96, args: {x: {strides: [128, 1]}}}
"""


def kernel(x):
    return x.as_strided(x.shape, x.stride()).sum(dim=-1)
