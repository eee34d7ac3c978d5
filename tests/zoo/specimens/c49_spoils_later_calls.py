"""
One workload leaves the device in a state in which every later call raises.

Source: C49, https://github.com/rapidsai/cuml/pull/7954
Kind: runner
Batch: rough
Must say: does-not-run
"""

import torch

OPERATOR = "double"


def kernel(x):
    if len(x) == 64:
        torch.Tensor.add = torch.Tensor.__add__ = lost
        raise RuntimeError("an illegal memory access was encountered")
    return x + x


def lost(*args):
    raise RuntimeError("context is lost")
