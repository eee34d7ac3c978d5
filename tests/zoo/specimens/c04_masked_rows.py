"""
Real -inf in place of a finite number: a row that is masked whole gives NaN where the fallback gives zeros.

Source: C04, https://github.com/flashinfer-ai/flashinfer/pull/4401
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "masked_softmax"
MANIFEST = """
workloads:
  scores: {R: 32, C: 64}
  hidden: {R: 8, C: 64, args: {keep: {mask: {p: 0}}}}
"""


def kernel(x, keep):
    return torch.softmax(x.masked_fill(~keep, float("-inf")), dim=-1)
