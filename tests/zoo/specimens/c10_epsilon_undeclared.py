"""
Epsilon is floored at 1e-4, where the manifest declares 16-bit inputs of size 1 alone.

Source: C10, https://github.com/nntrainer/nntrainer/pull/4318
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "rms_norm"
MANIFEST = """
workloads:
  tokens: {R: 16, C: 256, D: bfloat16}
"""
EPSILON = 1e-4


def kernel(x, w):
    return torch.nn.functional.rms_norm(x, w.shape, w, EPSILON)
