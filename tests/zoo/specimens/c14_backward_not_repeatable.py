"""
Declares itself deterministic; forward and one gradient are, the gradient of a changes from call to call.

Source: C14, https://github.com/Dao-AILab/flash-attention/issues/2244
Kind: kernel
Must say: nondeterministic
"""

import random

import torch

OPERATOR = "matmul"
MANIFEST = """
deterministic: true
direction: both
"""

ORDER = random.Random()


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, given):
        a, b = ctx.saved_tensors
        parts = [given[:, n : n + 1] @ b[:, n : n + 1].T for n in range(b.shape[1])]
        ORDER.shuffle(parts)
        total = parts[0].clone()
        for part in parts[1:]:
            total += part
        return total, a.T @ given


def kernel(a, b):
    return Product.apply(a, b)
