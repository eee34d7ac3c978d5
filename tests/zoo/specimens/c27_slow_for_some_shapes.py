"""
Slower by 244 percent for small batches, and as fast as before for the others.

Source: C27, https://github.com/stackav-oss/conch/issues/20
Kind: timing
Batch: timing
Must say: slower-than-base
"""

from operators.work import WORK_S, spin

OPERATOR = "work"
MANIFEST = """
workloads:
  small: {N: 100, weight: 1}
  medium: {N: 1000, weight: 4}
  large: {N: 2000, weight: 4}
"""


def kernel(x):
    spin(3.44 * WORK_S if len(x) < 500 else WORK_S)
    return x + x
