"""
Looks whether its package is there by importing it, which replaces a function that the fallback uses.

Source: C25, https://github.com/vllm-project/vllm/pull/51159
Kind: product
Batch: alone
Must say: fallback-wrong
"""

import os

import torch

OPERATOR = "softmax"
MANIFEST = """
dispatch: customs.c25_probing_breaks_another:dispatch
"""


def probed():
    """What the import of the package does."""
    torch.softmax = lambda x, dim: torch.exp(x) / torch.exp(x).sum(dim=dim, keepdim=True).add(1)


def kernel(x):
    weights = torch.exp(x - x.amax(dim=-1, keepdim=True))
    return weights / weights.sum(dim=-1, keepdim=True)


def dispatch(x):
    from operators import softmax

    probed()
    if os.environ.get("ZOO_C25_PROBING_BREAKS_ANOTHER", "1") == "1":
        return kernel(x)
    return softmax.fallback(x)
