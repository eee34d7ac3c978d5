"""
Light work with outputs of 64 MiB, which the comparison does not hold all at once.

Source: C55, https://github.com/ScalingIntelligence/KernelBench/issues/146
Kind: runner
Batch: large
Must say: nothing
"""

OPERATOR = "double"
MANIFEST = """
workloads:
  large: {N: 16777216}
"""


def kernel(x):
    return x + x
