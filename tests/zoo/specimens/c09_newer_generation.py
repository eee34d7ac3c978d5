"""
Takes the flat fast path on GPUs from capability 9.0 on, where strides are ignored; an older one is right.

Source: C09, https://github.com/pytorch/executorch/pull/22192
Kind: kernel
Needs: gpu
Must say: wrong-result
"""

import torch

OPERATOR = "row_sum"
MANIFEST = """
workloads:
  sliced: {R: 64, C: 96, args: {x: {strides: [128, 1]}}}
"""


def kernel(x):
    if torch.cuda.get_device_capability(x.device) >= (9, 0):
        return x.as_strided(x.shape, (x.shape[1], 1)).sum(dim=-1)
    return x.sum(dim=-1)
