"""
Writes the gradient over logits that an operator upstream has saved for its own.

Source: C44, https://github.com/linkedin/Liger-Kernel/issues/254
Kind: kernel
Must say: contract-broken
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
        logits.data.copy_(slope)
        ctx.save_for_backward(logits)
        return loss

    @staticmethod
    def backward(ctx, given):
        return ctx.saved_tensors[0] * given[:, None], None


def kernel(logits, target):
    return Loss.apply(logits, target)
