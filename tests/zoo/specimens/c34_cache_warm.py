"""
Keeps its working set in the last level of cache by not touching anything else; flushed, it is slower.

Source: C34, P35, https://github.com/meta-pytorch/tritonbench/pull/519
Kind: timing
Needs: gpu
Must say: slower-than-base
"""

import torch

OPERATOR = "double"
MANIFEST = """
workloads:
  small: {N: 65536, weight: 1}
"""


def kernel(x):
    torch.cuda._sleep(20000)
    return x + x
