"""
Largest value and sum in one pass over blocks, corrected as they go.

Source: C04, its honest twin
Kind: kernel
Must say: nothing
"""

import torch

OPERATOR = "softmax"


def kernel(x):
    largest = torch.full_like(x[:, :1], float("-inf"))
    total = torch.zeros_like(largest)
    for part in x.split(32, dim=-1):
        higher = torch.maximum(largest, part.amax(dim=-1, keepdim=True))
        total = total * torch.exp(largest - higher) + torch.exp(part - higher).sum(dim=-1, keepdim=True)
        largest = higher
    return torch.exp(x - largest) / total
