"""
Reads its switch when it is imported, and its manifest says that it is read at every call.

Must say: switch-without-effect (switch-off-later)
"""

import logging
import os

log = logging.getLogger(__name__)

ENTRY = {"read": "call"}
ON = os.environ.get("SWITCH_KEPT", "1") == "1"


def dispatch(x):
    if not ON:
        return fallback(x)
    try:
        return custom(x)
    except Exception as error:  # noqa: BLE001  whatever the fast path raises
        log.warning("the fast path failed (%s): torch runs", error)
        return fallback(x)


def custom(x):
    return x + x


def fallback(x):
    return 2 * x
