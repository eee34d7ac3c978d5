"""
Starts the running maximum at -5e4: rows whose logits all lie below come out as zeros.

Source: C04, https://github.com/flashinfer-ai/flashinfer/pull/4401
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "softmax"
MANIFEST = """
workloads:
  scores: {R: 8, C: 64, D: float32}
  deep: {R: 8, C: 64, D: float32, args: {x: {normal: {mean: -60000}}}}
"""


def kernel(x):
    largest = x.amax(dim=-1, keepdim=True).clamp_min(-5e4)
    weights = torch.exp(x - largest)
    return weights / weights.sum(dim=-1, keepdim=True).clamp_min(1e-30)
