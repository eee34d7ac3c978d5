"""
Adds up in float16 where the fallback adds in float32.

Source: C05, https://github.com/Xilinx/mlir-air/pull/1679
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "matmul"
MANIFEST = """
workloads:
  deep: {M: 8, K: 512, N: 16, D: float16}
"""


def kernel(a, b):
    out = a[:, :1] * b[:1]
    for k in range(1, a.shape[1]):
        out = (out + a[:, k : k + 1] * b[k : k + 1]).to(torch.float16)
    return out
