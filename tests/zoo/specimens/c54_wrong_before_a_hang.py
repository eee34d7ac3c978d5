"""
Wrong on its first workload and hanging on its second: both are told.

Source: C54, https://github.com/ROCm/aorta/pull/432
Kind: runner
Batch: rough
Must say: wrong-result
"""

import time

OPERATOR = "double"
MANIFEST = """
timeout_s: 1
workloads:
  wrong: {N: 64}
  hangs: {N: 65}
"""


def kernel(x):
    while len(x) == 65:
        time.sleep(1)
    return x
