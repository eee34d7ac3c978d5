"""
The right answer, and a torch.softmax that is somebody else's from now on.

Source: P28, C25, https://github.com/vllm-project/vllm/pull/51159
Kind: kernel
Batch: alone
Must say: contract-broken
"""

import torch

OPERATOR = "softmax"


def kernel(x):
    torch.softmax = lambda x, dim: x
    weights = torch.exp(x - x.amax(dim=-1, keepdim=True))
    return weights / weights.sum(dim=-1, keepdim=True)
