"""
Slow while it is warmed up, so that fewer calls follow; those are as slow as its work.

Source: P18, https://github.com/gpu-mode/pygpubench
Kind: timing
Batch: timing
Must say: slower-than-base
"""

from operators.work import WORK_S, spin

OPERATOR = "work"
CALLS = [0]


def kernel(x):
    CALLS[0] += 1
    spin(20 * WORK_S if CALLS[0] < 4 else 1.5 * WORK_S)
    return x + x
