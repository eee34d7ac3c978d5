"""
Leaves the last column of its output as it found it.

Source: C11, P19, https://github.com/pytorch/helion/pull/1672
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "gelu"


def kernel(x):
    out = torch.empty_like(x)
    out[:, :-1] = torch.nn.functional.gelu(x[:, :-1])
    return out
