"""
The fallback was changed with the kernel and computes in 16 bits now.

Source: C47, https://github.com/pytorch/pytorch/pull/128922
Kind: kernel
Must say: fallback-wrong
"""

import torch
from operators import softmax

OPERATOR = "softmax"
MANIFEST = """
fallback: customs.k27_less_exact_fallback:fallback
dispatch: customs.k27_less_exact_fallback:dispatch
"""


def kernel(x):
    return softmax.custom(x)


def fallback(x):
    return torch.softmax(x.to(torch.bfloat16), dim=-1).to(x.dtype)


def dispatch(x):
    import os

    return kernel(x) if os.environ.get("ZOO_K27_LESS_EXACT_FALLBACK", "1") == "1" else fallback(x)
