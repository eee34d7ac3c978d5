"""
A causal mask that is aligned at the top, where the product aligns it at the bottom.

Source: C04, https://github.com/flashinfer-ai/flashinfer/pull/4401
Kind: kernel
Must say: wrong-result
"""

import torch

OPERATOR = "causal_attention"
MANIFEST = """
workloads:
  square: {Q: 32, K: 32, D: 16}
  decode: {Q: 4, K: 32, D: 16}
"""


def kernel(q, k, v):
    scores = q @ k.T / q.shape[-1] ** 0.5
    rows, columns = scores.shape
    hidden = torch.ones(rows, columns, dtype=torch.bool, device=q.device).triu(1)
    return torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1) @ v
