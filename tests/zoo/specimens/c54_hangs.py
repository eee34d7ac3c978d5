"""
Never comes back; what was known before it hangs is still told.

Source: C54, https://github.com/ROCm/aorta/pull/432
Kind: runner
Batch: rough
Must say: does-not-run
"""

import time

OPERATOR = "double"
MANIFEST = """
timeout_s: 1
workloads:
  small: {N: 64}
"""


def kernel(x):
    while True:
        time.sleep(1)
