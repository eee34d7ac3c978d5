"""
Looks for the answer among the tensors of the process and makes none of its own.

Source: P14, https://github.com/gpu-mode/pygpubench
Kind: kernel
Batch: poison
Must say: wrong-result
"""

import gc

import torch

OPERATOR = "double"
MANIFEST = """
workloads:
  odd: {N: 1021}
"""


def kernel(x):
    found = [t for t in gc.get_objects() if type(t) is torch.Tensor and t.shape == x.shape and t is not x]
    return found[0].to(x.dtype).clone() if found else torch.zeros_like(x)
