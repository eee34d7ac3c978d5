"""
Imports its package where it needs it, catches whatever that raises, logs one line, and tries every call anew.

Must say: nothing
"""

import logging
import os

log = logging.getLogger(__name__)
told = set()

ENTRY = {"optional": ["fastops"], "read": "call"}


def dispatch(x):
    if os.environ.get("GUARDED", "1") != "1":
        return fallback(x)
    try:
        return custom(x)
    except Exception as error:  # noqa: BLE001  a package that does not fit may raise anything
        if type(error) not in told:
            told.add(type(error))
            log.warning("the fast path does not run (%s): torch does", error)
        return fallback(x)


def custom(x):
    import fastops

    return fastops.double(x)


def fallback(x):
    return 2 * x
