"""x + x, after half a millisecond of work that is not there to be measured exactly."""

import time

MANIFEST = """
args:
  x: {shape: [N], dtype: float32}
workloads:
  small: {N: 1000, weight: 1}
"""
WORK_S = 0.001


def spin(seconds):
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        pass


def fallback(x):
    spin(2 * WORK_S)
    return 2 * x


def custom(x):
    spin(WORK_S)
    return x + x
