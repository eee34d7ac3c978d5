"""
Slower by half on every call.

Source: C26, https://github.com/vllm-project/vllm/issues/43153
Kind: timing
Batch: timing
Must say: slower-than-base
"""

from operators.work import WORK_S, spin

OPERATOR = "work"


def kernel(x):
    spin(1.5 * WORK_S)
    return x + x
