"""
Waits for a lock in its fallback that its own module never gives back: with the switch off, nothing comes back either.

Must say: fallback-raises
"""

import os
import threading

ENTRY = {"timeout_s": 6, "reference": "exact"}
LOCK = threading.Lock()
LOCK.acquire()


def dispatch(x):
    if os.environ.get("FALLBACK_HANGS", "1") != "1":
        return fallback(x)
    try:
        return custom(x)
    except Exception:  # noqa: BLE001  whatever the fast path raises
        return fallback(x)


def custom(x):
    return x + x


def fallback(x):
    with LOCK:
        return 2 * x


def exact(x):
    return 2 * x.double()
