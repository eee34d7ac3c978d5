"""
Both paths slow down alike as the machine gets warm; nothing has changed between them.

Source: C36, https://github.com/flashinfer-ai/flashinfer/pull/2899
Kind: timing
Batch: timing
Must say: nothing
"""

from operators.work import WORK_S, spin

OPERATOR = "work"


def kernel(x):
    spin(WORK_S)
    return x + x
