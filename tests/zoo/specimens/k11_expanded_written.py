"""
Writes into an input whose rows share one memory.

Source: C42, https://github.com/ScalingIntelligence/KernelBench/pull/82
Kind: kernel
Must say: contract-broken
"""

OPERATOR = "add"
MANIFEST = """
workloads:
  residual: {R: 32, C: 96, D: float32}
  expanded: {R: 32, C: 96, D: float32, args: {y: {strides: [0, 1]}}}
"""


def kernel(x, y):
    out = x + y
    y.as_strided((1,), (1,)).zero_()
    return out
