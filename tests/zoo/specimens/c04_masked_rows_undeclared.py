"""
NaN in a row that is masked whole, where the declared masks always let something through.

Source: C04, https://github.com/flashinfer-ai/flashinfer/pull/4401
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "masked_softmax"


def kernel(x, keep):
    return torch.softmax(x.masked_fill(~keep, float("-inf")), dim=-1)
