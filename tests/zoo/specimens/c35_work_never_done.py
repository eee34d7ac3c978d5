"""
Says that it does far more floating-point operations than it does; a rate that no device has.

Source: C35, P41, https://github.com/flashinfer-ai/flashinfer/issues/1638
Kind: timing
Needs: gpu
Must say: not-measured
"""

OPERATOR = "matmul"
MANIFEST = """
flops: 1.0e+15 * M * N * K
workloads:
  square: {M: 64, K: 64, N: 64, D: float32, weight: 1}
"""


def kernel(a, b):
    return a @ b
