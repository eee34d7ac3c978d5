"""
Takes the configuration of the nearest tuned batch, however far: 2048 runs with that of 8.

Source: C28, https://github.com/vllm-project/vllm/pull/52192
Kind: timing
Batch: timing
Must say: slower-than-base
"""

from operators.work import WORK_S, spin

OPERATOR = "work"
MANIFEST = """
workloads:
  decode: {N: 8, weight: 1}
  prefill: {N: 2048, weight: 1}
"""
TUNED = {1: 1, 2: 1, 4: 1, 8: 1}


def kernel(x):
    nearest = min(TUNED, key=lambda batch: abs(batch - len(x)))
    spin(WORK_S * TUNED[nearest] * (1 if len(x) <= 8 else 1.3))
    return x + x
