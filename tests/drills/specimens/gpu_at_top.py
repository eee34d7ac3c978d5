"""
Makes something of the GPU's when it is imported, so that on a machine without one nothing of it can be called.

Must say: fallback-missing
"""

import os

import torch

ENTRY = {}
WORKSPACE = torch.zeros(1 << 10, device="cuda")


def dispatch(x):
    return custom(x) if os.environ.get("GPU_AT_TOP", "1") == "1" else fallback(x)


def custom(x):
    return x + x + WORKSPACE[0]


def fallback(x):
    return 2 * x
