"""
Compiles for every length, 30 ms each, the first time that it meets it.

Source: C32, https://github.com/vllm-project/vllm/pull/40137
Kind: timing
Batch: timing
Must say: nothing
"""

import time

from operators.work import WORK_S, spin

OPERATOR = "work"
MANIFEST = """
workloads:
  100: {N: 100, weight: 1}
  101: {N: 101, weight: 1}
"""
SEEN = set()


def kernel(x):
    if x.shape not in SEEN:
        SEEN.add(x.shape)
        time.sleep(0.03)
    spin(WORK_S)
    return x + x
