"""
Catches ModuleNotFoundError alone: a package that is there and does not load takes the product with it.

Source: C19, https://github.com/sgl-project/sglang/issues/29317
Must say: fallback-raises (package-import-error), fallback-raises (package-os-error), fallback-raises (package-raises)
"""

import logging
import os

log = logging.getLogger(__name__)
try:
    import fastops
except ModuleNotFoundError:
    log.warning("fastops is not installed: torch runs")
    fastops = None

ENTRY = {"optional": ["fastops"], "read": "call"}


def dispatch(x):
    if fastops is None or os.environ.get("CATCHES_MISSING_ALONE", "1") != "1":
        return fallback(x)
    try:
        return custom(x)
    except Exception as error:  # noqa: BLE001  whatever the fast path raises
        log.warning("the fast path failed (%s): torch runs", error)
        return fallback(x)


def custom(x):
    return fastops.double(x)


def fallback(x):
    return 2 * x
