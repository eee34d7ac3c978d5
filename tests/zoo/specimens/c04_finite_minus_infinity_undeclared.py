"""
The same maximum that starts at -5e4, where the manifest declares logits around 0.

Source: C04, https://github.com/flashinfer-ai/flashinfer/pull/4401
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "softmax"


def kernel(x):
    largest = x.amax(dim=-1, keepdim=True).clamp_min(-5e4)
    weights = torch.exp(x - largest)
    return weights / weights.sum(dim=-1, keepdim=True).clamp_min(1e-30)
