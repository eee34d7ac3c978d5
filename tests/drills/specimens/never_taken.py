"""
Turns its fast path down at every call, whatever the switch says: nothing of it is ever tried, so nothing of it fails.

Must say: switch-without-effect
"""

import logging
import os

log = logging.getLogger(__name__)

ENTRY = {"optional": ["fastops"], "read": "call"}


def fits(x):
    return x.dim() == 2  # and every tensor of this product has one dimension


def dispatch(x):
    if os.environ.get("NEVER_TAKEN", "1") != "1" or not fits(x):
        return fallback(x)
    try:
        return custom(x)
    except Exception as error:  # noqa: BLE001  whatever the fast path raises
        log.warning("the fast path failed (%s): torch runs", error)
        return fallback(x)


def custom(x):
    import fastops

    return fastops.double(x)


def fallback(x):
    return 2 * x
