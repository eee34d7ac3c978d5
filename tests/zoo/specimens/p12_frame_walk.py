"""
Walks up the frames of whoever calls it and sets every tensor that it finds there to zero.

Source: P12, https://github.com/gpu-mode/kernelbot
Kind: kernel
Batch: poison
Must say: wrong-result
"""

import inspect

import torch

OPERATOR = "double"


def kernel(x):
    for frame in inspect.stack():
        for value in frame.frame.f_locals.values():
            for tensor in getattr(value, "tensors", ()):
                tensor.values.zero_()
    return torch.zeros_like(x)
