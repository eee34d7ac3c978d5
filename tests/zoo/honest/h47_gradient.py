"""
A backward of its own that is right for any incoming gradient.

Source: C45, its honest twin
Kind: kernel
Must say: nothing
"""

import torch

OPERATOR = "cross_entropy"
MANIFEST = """
direction: both
"""


class Loss(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, target):
        chances = torch.softmax(logits, dim=-1)
        ctx.save_for_backward(chances, target)
        return torch.logsumexp(logits, dim=-1) - logits.gather(-1, target[:, None])[:, 0]

    @staticmethod
    def backward(ctx, given):
        chances, target = ctx.saved_tensors
        return (chances - torch.nn.functional.one_hot(target, chances.shape[-1])) * given[:, None], None


def kernel(logits, target):
    return Loss.apply(logits, target)
