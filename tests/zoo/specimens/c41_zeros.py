"""
Returns zeros where every value is small.

Source: C41, P22, https://github.com/ScalingIntelligence/KernelBench/issues/165
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "softmax"
MANIFEST = """
workloads:
  wide: {R: 4, C: 20000, D: float32}
"""


def kernel(x):
    return torch.zeros_like(x)
