"""
Sizes its workspace at the first call and cuts what is larger later.

Source: C20, https://github.com/tile-ai/tilelang/issues/891
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "double"
MANIFEST = """
workloads:
  small: {N: 64}
  large: {N: 100}
"""
LIMIT = []


def kernel(x):
    if not LIMIT:
        LIMIT.append(len(x))
    out = torch.zeros_like(x)
    out[: LIMIT[0]] = x[: LIMIT[0]] * 2
    return out
