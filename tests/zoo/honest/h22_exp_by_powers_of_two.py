"""
exp2 of scaled logits, as GPUs have it.

Source: C04, its honest twin
Kind: kernel
Must say: nothing
"""

import torch

OPERATOR = "softmax"


LOG2_E = 1.4426950408889634


def kernel(x):
    weights = torch.exp2((x - x.amax(dim=-1, keepdim=True)) * LOG2_E)
    return weights / weights.sum(dim=-1, keepdim=True)
