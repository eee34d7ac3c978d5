"""
Returns zeros, which a tolerance of 1e-2 accepts: no value of this softmax is that large.

Source: C41, P22, https://github.com/ScalingIntelligence/KernelBench/issues/165
Kind: kernel
Must say: check-too-loose
"""

import torch

OPERATOR = "softmax"
MANIFEST = """
tolerance: {float32: {rtol: 0.01, atol: 0.01}}
workloads:
  wide: {R: 4, C: 20000, D: float32}
"""


def kernel(x):
    return torch.zeros_like(x)
