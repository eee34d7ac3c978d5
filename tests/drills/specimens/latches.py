"""
Turns its fast path off for the whole process after any exception.

Source: C22, omlx pull request 3016
Must say: fallback-latched (call-refused)
"""

import logging
import os

log = logging.getLogger(__name__)
broken = False

ENTRY = {}


def dispatch(x):
    global broken
    if broken or os.environ.get("LATCHES", "1") != "1":
        return fallback(x)
    try:
        return custom(x)
    except Exception as error:  # noqa: BLE001  whatever the fast path raises
        broken = True
        log.warning("the fast path failed (%s): turned off", error)
        return fallback(x)


def custom(x):
    return x + x


def fallback(x):
    return 2 * x
