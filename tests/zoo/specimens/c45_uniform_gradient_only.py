"""
Finishes the gradient in forward and multiplies it by one number of the incoming one.

Source: C45, https://github.com/linkedin/Liger-Kernel/issues/968
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "cross_entropy"
MANIFEST = """
direction: both
"""


class Loss(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, target):
        loss = torch.logsumexp(logits, dim=-1) - logits.gather(-1, target[:, None])[:, 0]
        slope = torch.softmax(logits, dim=-1)
        slope.scatter_add_(-1, target[:, None], -torch.ones_like(loss)[:, None])
        ctx.save_for_backward(slope)
        return loss

    @staticmethod
    def backward(ctx, given):
        return ctx.saved_tensors[0] * given[-1], None


def kernel(logits, target):
    return Loss.apply(logits, target)
