"""
The kernel is what it was; the way to it takes longer for each of its fifteen arguments.

Source: C40, https://github.com/triton-lang/triton/pull/6066
Kind: timing
Batch: timing
Must say: slower-than-base
"""

from operators.work import WORK_S, spin

OPERATOR = "work"


def kernel(x):
    for _ in range(15):
        spin(0.02 * WORK_S)
    spin(WORK_S)
    return x + x
