"""
A wrong answer, and a torch whose comparisons find everything equal.

Source: P11, https://github.com/gpu-mode/kernelguard
Kind: kernel
Batch: alone
Must say: wrong-result
"""

import torch

OPERATOR = "double"


def kernel(x):
    torch.equal = torch.allclose = lambda *args, **kwargs: True
    torch.Tensor.eq = torch.Tensor.__eq__ = lambda *args: torch.tensor(True)
    return x
