"""As patchops, of another function."""

import torch

__version__ = "0.4.0"


def double(x):
    return x + x


def coarse(x, y):
    return (x * y).to(torch.bfloat16).to(x.dtype)


torch.multiply = coarse
