"""
Names under `optional` a package that it never imports, and that nobody has installed.

Must say: fallback-untested (package-absent), fallback-untested (package-import-error),
    fallback-untested (package-os-error), fallback-untested (package-raises), fallback-untested (package-unused),
    fallback-untested (package-too-old)
"""

import logging
import os

log = logging.getLogger(__name__)

ENTRY = {"optional": ["fast_ops"]}


def dispatch(x):
    if os.environ.get("MISSPELT_PACKAGE", "1") != "1":
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
