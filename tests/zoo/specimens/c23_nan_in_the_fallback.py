"""
The fallback gives NaN for rows that are masked whole, where the kernel gives zeros.

Source: C23, https://github.com/tracel-ai/burn/pull/4697
Kind: product
Must say: fallback-wrong
"""

import os

import torch
from operators import masked_softmax

OPERATOR = "masked_softmax"
MANIFEST = """
fallback: customs.c23_nan_in_the_fallback:fallback
dispatch: customs.c23_nan_in_the_fallback:dispatch
reference: operators.masked_softmax:exact
workloads:
  scores: {R: 32, C: 64}
  hidden: {R: 8, C: 64, args: {keep: {mask: {p: 0}}}}
"""


def kernel(x, keep):
    return masked_softmax.custom(x, keep)


def fallback(x, keep):
    return torch.softmax(x.masked_fill(~keep, float("-inf")), dim=-1)


def dispatch(x, keep):
    return kernel(x, keep) if os.environ.get("ZOO_C23_NAN_IN_THE_FALLBACK", "1") == "1" else fallback(x, keep)
