"""
Remembers the shapes that its kernel has refused, and tries it again with every other one.

Must say: nothing
"""

import logging
import os

log = logging.getLogger(__name__)
refused = set()

ENTRY = {
    "args": {"x": {"shape": ["N"], "dtype": "float32"}},
    "workloads": {"small": {"N": 64, "source": "test"}, "large": {"N": 96, "source": "test"}},
}


def dispatch(x):
    if tuple(x.shape) in refused or os.environ.get("LATCHES_SHAPE", "1") != "1":
        return fallback(x)
    try:
        return custom(x)
    except Exception as error:  # noqa: BLE001  whatever the fast path raises
        refused.add(tuple(x.shape))
        log.warning("the fast path refused %s (%s): not tried again", tuple(x.shape), error)
        return fallback(x)


def custom(x):
    return x + x


def fallback(x):
    return 2 * x
