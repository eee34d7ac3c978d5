"""
-0.0 where the fallback has 0.0.

Source: P23, its honest twin
Kind: kernel
Must say: nothing
"""

OPERATOR = "add"
MANIFEST = """
args:
  x: {shape: [R, C], dtype: float32, zeros: 0.5}
  y: {shape: [R, C], dtype: float32, zeros: 0.5}
workloads:
  residual: {R: 32, C: 96}
"""


def kernel(x, y):
    return -((-x) - y)
