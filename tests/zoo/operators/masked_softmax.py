"""Softmax over the columns that a mask lets through; 0 elsewhere, and in a row that lets none through."""

import torch

MANIFEST = """
args:
  x: {shape: [R, C], dtype: float32}
  keep: {shape: [R, C], dtype: bool, mask: {p: 0.7}}
workloads:
  scores: {R: 32, C: 64}
"""


def fallback(x, keep):
    return torch.softmax(x.masked_fill(~keep, float("-inf")), dim=-1).nan_to_num(0.0)


def custom(x, keep):
    hidden = x.masked_fill(~keep, float("-inf"))
    largest = hidden.amax(dim=-1, keepdim=True).nan_to_num(neginf=0.0)
    weights = torch.exp(hidden - largest)
    return weights / weights.sum(dim=-1, keepdim=True).clamp_min(torch.finfo(x.dtype).tiny)


def exact(x, keep):
    return custom(x.double(), keep)
