"""
For CUDA alone: on a machine without a GPU nothing of it runs, and that is no success.

Source: C50, https://github.com/ROCm/TheRock/pull/644
Alone: not-measured
Must say: nothing
"""

import os

ENTRY = {"targets": ["cuda"]}


def dispatch(x):
    if os.environ.get("NEEDS_CUDA", "1") != "1":
        return fallback(x)
    try:
        return custom(x)
    except Exception as error:  # noqa: BLE001  whatever the fast path raises
        print(f"the fast path failed ({error}): torch runs")
        return fallback(x)


def custom(x):
    return x + x


def fallback(x):
    return 2 * x
