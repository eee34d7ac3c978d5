"""
A sum of squares in bfloat16 under a tolerance that asks for a cosine of 0.99 and for little else.

Source: C05, https://github.com/Xilinx/mlir-air/pull/1679
Kind: kernel
Must say: check-too-loose
"""

import torch

OPERATOR = "rms_norm"
MANIFEST = """
tolerance: {bfloat16: {cosine: 0.99, psnr: 20}}
workloads:
  tokens: {R: 4, C: 2048, D: bfloat16}
"""
EPSILON = 1e-6


def kernel(x, w):
    total = torch.zeros(x.shape[0], dtype=torch.bfloat16, device=x.device)
    for column in x.square().to(torch.bfloat16).unbind(dim=1):
        total += column
    return (x * torch.rsqrt(total[:, None].float() / x.shape[1] + EPSILON)).to(x.dtype) * w
