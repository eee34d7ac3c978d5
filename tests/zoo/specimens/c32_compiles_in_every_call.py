"""
Compiles anew in every call, 30 ms each.

Source: C32, P43, https://github.com/vllm-project/vllm/pull/40137
Kind: timing
Batch: timing
Must say: slower-than-base
"""

import time

OPERATOR = "work"


def kernel(x):
    compile(f"{time.time()}", "<kernel>", "eval")
    time.sleep(0.03)
    return x + x
