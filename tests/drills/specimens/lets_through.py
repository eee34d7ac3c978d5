"""
Lets what the kernel raises through to its caller: the switch is its only way out.

Must say: fallback-raises (out-of-shared-memory), fallback-raises (out-of-memory), fallback-raises (call-refused)
"""

import os

ENTRY = {}


def dispatch(x):
    return custom(x) if os.environ.get("LETS_THROUGH", "1") == "1" else fallback(x)


def custom(x):
    return x + x


def fallback(x):
    return 2 * x
