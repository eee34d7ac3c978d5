"""
Every workload needs a GPU, the runner has none, and nothing ran.

Source: C50, P51, https://github.com/ROCm/TheRock/pull/644
Kind: product
Waits for: a run of its own: tests/contract/check/test_bad_input.py holds it meanwhile
Must say: not-measured
"""

OPERATOR = "double"


def kernel(x):
    return x + x
