"""
Multiplies whole steps of 16 along K and drops what K leaves over; K mod 16 = 8 is the only residue that gets here.

Source: C02, https://github.com/tile-ai/tilelang/issues/2381
Kind: kernel
Must say: wrong-result
"""

OPERATOR = "matmul"
MANIFEST = """
workloads:
  even: {M: 16, K: 64, N: 32, D: float32}
  short: {M: 16, K: 24, N: 32, D: float32}
  long: {M: 16, K: 40, N: 32, D: float32}
"""
STEP = 16


def kernel(a, b):
    whole = a.shape[1] // STEP * STEP
    return a[:, :whole] @ b[:whole]
