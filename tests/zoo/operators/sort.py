"""The values of each row in rising order."""

import torch

MANIFEST = """
args:
  x: {shape: [R, C], dtype: float32}
workloads:
  rows: {R: 16, C: 200}
"""


def fallback(x):
    return torch.sort(x, dim=-1).values


def custom(x):
    return x.gather(-1, x.argsort(dim=-1))


def same_numbers(outputs, expected, inputs):
    apart = (outputs[0].sort(dim=-1).values != inputs["x"].sort(dim=-1).values).sum()
    return {"holds": bool(apart == 0), "apart": int(apart)}
