"""
Changes its input as declared, and returns it as well.

Source: C42, its honest twin
Kind: kernel
Must say: nothing
"""

import torch

OPERATOR = "leaky_relu"


def kernel(x):
    return x.mul_(torch.where(x > 0, 1.0, 0.5))
