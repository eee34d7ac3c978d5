"""
Has a fallback of other parameters than its kernel, which its dispatch knows how to call and nobody else does.

Must say: fallback-raises
"""

import logging
import os

log = logging.getLogger(__name__)

ENTRY = {"reference": "exact"}


def dispatch(x):
    if os.environ.get("OTHER_SIGNATURE", "1") != "1":
        return fallback(x, 2)
    try:
        return custom(x)
    except Exception as error:  # noqa: BLE001  whatever the fast path raises
        log.warning("the fast path failed (%s): torch runs", error)
        return fallback(x, 2)


def custom(x):
    return x + x


def fallback(x, factor):
    return factor * x


def exact(x):
    return 2 * x.double()
