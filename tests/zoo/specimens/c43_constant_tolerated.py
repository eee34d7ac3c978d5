"""
Returns a constant, and the tolerance is wider than the range of the answer.

Source: C43, https://github.com/Xilinx/mlir-air/issues/1427
Kind: kernel
Must say: check-too-loose
"""

OPERATOR = "attention"
MANIFEST = """
tolerance: {float32: {rtol: 0.2, atol: 0.5}}
args:
  q: {shape: [Q, D], dtype: float32, uniform: {low: 0.5, high: 1}}
  k: {shape: [K, D], dtype: float32, uniform: {low: 0.5, high: 1}}
  v: {shape: [K, D], dtype: float32, uniform: {low: 0.5, high: 1}}
workloads:
  tokens: {Q: 32, K: 48, D: 16}
"""


def kernel(q, k, v):
    return v.new_full((q.shape[0], v.shape[1]), 0.75)
