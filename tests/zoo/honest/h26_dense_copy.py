"""
Copies whatever is not dense, and then walks memory.

Source: C01, its honest twin
Kind: kernel
Must say: nothing
"""

OPERATOR = "row_sum"
MANIFEST = """
workloads:
  sliced: {R: 64, C: 96, args: {x: {strides: [128, 1]}}}
  turned: {R: 64, C: 96, args: {x: {layout: transposed}}}
  expanded: {R: 64, C: 96, args: {x: {layout: expanded}}}
"""


def kernel(x):
    x = x.contiguous()
    return x.as_strided(x.shape, (x.shape[1], 1)).sum(dim=-1)
