"""
Compiles once per dtype and bakes the first width in.

Source: C20, https://github.com/tile-ai/tilelang/issues/891
Kind: kernel
Must say: wrong-result
"""

OPERATOR = "row_sum"
MANIFEST = """
workloads:
  narrow: {R: 16, C: 32}
  wide: {R: 16, C: 64}
"""
COMPILED = {}


def compiled(width):
    return lambda x: x[:, :width].sum(dim=-1)


def kernel(x):
    if x.dtype not in COMPILED:
        COMPILED[x.dtype] = compiled(x.shape[1])
    return COMPILED[x.dtype](x)
