"""
Looks for a package that is not installed here, and catches its absence alone: what it does where the package is there
and does not import is found by its name.

Must say: fallback-raises (package-import-error), fallback-raises (package-os-error), fallback-raises (package-raises),
    fallback-untested (package-unused), fallback-untested (package-too-old)
"""

import logging
import os

log = logging.getLogger(__name__)
try:
    from fastops_next import double
except ModuleNotFoundError:
    log.warning("fastops_next is not installed: torch runs")
    double = None

ENTRY = {"optional": ["fastops_next"]}


def dispatch(x):
    if os.environ.get("NOT_INSTALLED", "1") != "1":
        return fallback(x)
    try:
        return custom(x)
    except Exception as error:  # noqa: BLE001  whatever the fast path raises
        log.warning("the fast path failed (%s): torch runs", error)
        return fallback(x)


def custom(x):
    return x + x if double is None else double(x)


def fallback(x):
    return 2 * x
