"""
Keeps the sum of squares in bfloat16, so that each row is off by one common factor, which a correlation does not see.

Source: C05, https://github.com/Xilinx/mlir-air/pull/1679
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "rms_norm"
MANIFEST = """
workloads:
  tokens: {R: 4, C: 2048, D: bfloat16}
"""
EPSILON = 1e-6


def kernel(x, w):
    total = torch.zeros(x.shape[0], dtype=torch.bfloat16, device=x.device)
    for column in x.square().to(torch.bfloat16).unbind(dim=1):
        total += column
    return (x * torch.rsqrt(total[:, None].float() / x.shape[1] + EPSILON)).to(x.dtype) * w
