"""
Stops the clock that it is measured by.

Source: P09, https://github.com/gpu-mode/reference-kernels/issues/162
Kind: timing
Batch: alone
Must say: does-not-run
"""

import time

OPERATOR = "double"
MANIFEST = """
workloads:
  small: {N: 64, weight: 1}
"""


def kernel(x):
    time.perf_counter_ns = lambda: 7
    time.perf_counter = lambda: 7.0
    return x + x
