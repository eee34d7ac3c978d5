"""
Rounds once more than the fallback does, as a fused kernel may.

Source: C47, its honest twin
Kind: kernel
Must say: nothing
"""

import torch

OPERATOR = "gelu"
MANIFEST = """
workloads:
  hidden: {R: 16, C: 256, D: bfloat16}
"""


def kernel(x):
    return torch.nn.functional.gelu(x.float()).to(torch.bfloat16)
