"""
Answers int32 where the caller indexes with int64.

Source: C46, https://github.com/numpy/numpy/issues/21432
Kind: kernel
Must say: contract-broken
"""

import torch

OPERATOR = "bucketize"


def kernel(x, boundaries):
    return torch.bucketize(x, boundaries, out_int32=True)
