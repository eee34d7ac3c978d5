"""
Looks for the largest values in the first half of each row.

Source: P37, https://kernelbench.com
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "top_k"


def kernel(x):
    return tuple(torch.topk(x[:, : x.shape[1] // 2], 8, dim=-1))
