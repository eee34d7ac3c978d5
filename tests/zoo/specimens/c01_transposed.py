"""
Takes the memory of a transposed tensor as it lies.

Source: C01, https://github.com/NVIDIA/TransformerEngine/pull/2746
Kind: kernel
Must say: wrong-result
"""

OPERATOR = "row_sum"
MANIFEST = """
workloads:
  turned: {R: 64, C: 96, args: {x: {layout: transposed}}}
"""


def kernel(x):
    return x.as_strided(x.shape, (x.shape[1], 1)).sum(dim=-1)
