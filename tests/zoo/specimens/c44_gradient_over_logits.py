"""
Writes the gradient over the caller's logits, past autograd's version counter.

Source: C44, https://github.com/linkedin/Liger-Kernel/issues/272
Kind: kernel
Must say: contract-broken
"""

import torch

OPERATOR = "cross_entropy"


def kernel(logits, target):
    loss = torch.logsumexp(logits, dim=-1) - logits.gather(-1, target[:, None])[:, 0]
    logits.data.copy_(torch.softmax(logits, dim=-1))
    return loss
