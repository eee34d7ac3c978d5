"""
Makes every float64 tensor that it can find NaN, and answers NaN.

Source: P13, P23, https://github.com/gpu-mode/pygpubench
Kind: kernel
Batch: poison
Must say: wrong-result
"""

import gc

import torch

OPERATOR = "double"


def kernel(x):
    for thing in gc.get_objects():
        if type(thing) is torch.Tensor and thing.dtype == torch.float64:
            thing.fill_(float("nan"))
    return torch.full_like(x, float("nan"))
