"""
Copies its input only if the last stride is not 1, then walks memory with the width as the distance of rows.

Source: C01, https://github.com/NVIDIA/TransformerEngine/pull/2746
Kind: kernel
Must say: wrong-result
"""

OPERATOR = "row_sum"
MANIFEST = """
workloads:
  dense: {R: 64, C: 96}
  sliced: {R: 64, C: 96, args: {x: {strides: [128, 1]}}}
"""


def kernel(x):
    if x.stride(-1) != 1:
        x = x.contiguous()
    return x.as_strided(x.shape, (x.shape[1], 1)).sum(dim=-1)
