"""
Leaves its backward to autograd.

Source: C45, its honest twin
Kind: kernel
Must say: nothing
"""

import torch

OPERATOR = "matmul"
MANIFEST = """
direction: both
"""


def kernel(a, b):
    return torch.einsum("mk,kn->mn", a, b)
