"""
Drops a fifth of the elements where a tenth is asked for.

Source: C37, https://github.com/BytedTsinghua-SIA/CUDA-Agent/issues/16
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "dropout"


def kernel(x, seed):
    drawn = torch.rand(x.shape, generator=torch.Generator(x.device).manual_seed(seed), device=x.device)
    return torch.where(drawn < 0.2, 0.0, x / 0.9)
