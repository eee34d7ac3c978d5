"""
Rounds its inputs to the 10 bits of TF32, where the fallback computes in float32.

Source: C37, P27, https://github.com/BytedTsinghua-SIA/CUDA-Agent/issues/16
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "matmul"
MANIFEST = """
workloads:
  wide: {M: 16, K: 512, N: 64, D: float32}
"""


def rounded(x):
    return ((x.view(torch.int32) + 0x1000) & ~0x1FFF).view(torch.float32)


def kernel(a, b):
    return rounded(a.contiguous()) @ rounded(b.contiguous())
