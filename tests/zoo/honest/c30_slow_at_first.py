"""
Slower by 28 percent for its first tenth of a second; a change of nothing, if one waits.

Source: C30, https://github.com/triton-lang/triton/issues/2306
Kind: timing
Batch: timing
Must say: nothing
"""

import time

from operators.work import WORK_S, spin

OPERATOR = "work"
BEGAN_S = time.perf_counter()


def kernel(x):
    spin(WORK_S * (1.28 if time.perf_counter() - BEGAN_S < 0.1 else 1))
    return x + x
