"""
Drops what K leaves over of steps of 16, where every declared K is a multiple of them.

Source: C02, https://github.com/tile-ai/tilelang/issues/2381
Kind: kernel
Must say: wrong-result
"""

OPERATOR = "matmul"
MANIFEST = """
workloads:
  even: {M: 16, K: 64, N: 32, D: float32}
"""
STEP = 16


def kernel(a, b):
    whole = a.shape[1] // STEP * STEP
    return a[:, :whole] @ b[:whole]
