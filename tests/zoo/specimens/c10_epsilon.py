"""
Epsilon is floored at 1e-4; nothing shows where the mean square is 1.

Source: C10, https://github.com/nntrainer/nntrainer/pull/4318
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "rms_norm"
MANIFEST = """
workloads:
  tokens: {R: 16, C: 256, D: float32}
  quiet: {R: 16, C: 256, D: float32, args: {x: {scale: 0.014}}}
"""
EPSILON = 1e-4


def kernel(x, w):
    return torch.nn.functional.rms_norm(x, w.shape, w, EPSILON)
