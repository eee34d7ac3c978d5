"""
The gradient of the weight is not summed over the rows that share it.

Source: C45, https://github.com/linkedin/Liger-Kernel/issues/678
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "rms_norm"
MANIFEST = """
direction: both
"""
EPSILON = 1e-6


class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        scale = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + EPSILON)
        ctx.save_for_backward(x, w, scale)
        return x * scale * w

    @staticmethod
    def backward(ctx, given):
        x, w, scale = ctx.saved_tensors
        inner = (given * w * x).mean(dim=-1, keepdim=True) * scale**3
        return given * w * scale - x * inner, (given * x * scale)[0]


def kernel(x, w):
    return Norm.apply(x, w)
