"""
Drops a tenth of the elements and leaves the rest as they are.

Source: C37, https://github.com/BytedTsinghua-SIA/CUDA-Agent/issues/16
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "dropout"


def kernel(x, seed):
    drawn = torch.rand(x.shape, generator=torch.Generator(x.device).manual_seed(seed), device=x.device)
    return torch.where(drawn < 0.1, 0.0, x)
