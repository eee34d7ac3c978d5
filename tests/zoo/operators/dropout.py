"""A tenth of the elements set to 0, the others made larger; which ones, a seed decides."""

import torch

MANIFEST = """
args:
  x: {shape: [N], dtype: float32, constant: 1}
  seed: 17
compare: sampler
workloads:
  hidden: {N: 20000}
"""
P = 0.1


def fallback(x, seed):
    kept = torch.rand(x.shape, generator=torch.Generator(x.device).manual_seed(seed), device=x.device) >= P
    return x * kept / (1 - P)


def custom(x, seed):
    drawn = torch.rand(x.shape, generator=torch.Generator(x.device).manual_seed(seed + 1), device=x.device)
    return torch.where(drawn < P, 0.0, x / (1 - P))
