"""
A library's product with an epilogue of its own.

Source: P26, its honest twin
Kind: kernel
Must say: nothing
"""

import torch

OPERATOR = "attention"


def kernel(q, k, v):
    scores = torch.baddbmm(q.new_zeros(1, len(q), len(k)), q[None], k.T[None], alpha=q.shape[-1] ** -0.5)[0]
    weights = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return (weights @ v).div_(weights.sum(dim=-1, keepdim=True))
