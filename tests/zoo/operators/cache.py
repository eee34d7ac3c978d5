"""Adds one row to a cache that the product keeps, and returns the mean of all rows so far: here, of equal ones."""

import torch

MANIFEST = """
args:
  row: {shape: [D], dtype: float32}
setup: operators.cache:setup
reset: operators.cache:reset
reference: operators.cache:exact
steps: 4
workloads:
  tokens: {D: 32}
"""


class Cache:
    def __init__(self, device, rows, width):
        self.rows = torch.zeros(rows, width, device=device)
        self.used = 0


def setup(device, D):
    return Cache(device, 16, D)


def reset(cache):
    cache.rows.zero_()
    cache.used = 0


def exact(cache, row):
    cache.used += 1
    return row.double()


def fallback(cache, row):
    cache.rows[cache.used] = row
    cache.used += 1
    return cache.rows[: cache.used].mean(dim=0)


def custom(cache, row):
    cache.rows[cache.used].copy_(row)
    cache.used += 1
    return cache.rows[: cache.used].sum(dim=0) / cache.used
