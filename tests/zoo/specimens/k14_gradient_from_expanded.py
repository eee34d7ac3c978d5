"""
Reads the incoming gradient as dense memory, which that of a sum is not.

Source: C45, https://github.com/linkedin/Liger-Kernel/issues/968
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "double"
MANIFEST = """
direction: both
"""


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x + x

    @staticmethod
    def backward(ctx, given):
        size = given.untyped_storage().size() // given.element_size()
        memory = given.as_strided((size,), (1,), 0)
        out = given.new_zeros(given.numel())
        out[: min(size, given.numel())] = memory[: given.numel()] * 2
        return out.view(given.shape)


def kernel(x):
    return Double.apply(x)
