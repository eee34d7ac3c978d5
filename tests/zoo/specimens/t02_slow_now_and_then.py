"""
As fast as before, but for every fifth call, which takes three times as long.

Source: C13, https://github.com/warpfront/hipfire/pull/575
Kind: timing
Batch: timing
Missed: five launches are too few to tell a tail
Must say: unsteady
"""

from operators.work import WORK_S, spin

OPERATOR = "work"
CALLS = [0]


def kernel(x):
    CALLS[0] += 1
    spin(WORK_S * (1 if CALLS[0] % 5 else 3))
    return x + x
