"""
Keeps what it has "compiled" in a compile cache under the function's name alone. The caches of a run are its own and
begin empty, so that what an older version has left there is never measured.

Source: C20, https://github.com/tile-ai/tilelang/issues/891
Must say: nothing
"""

import logging
import os
import pathlib

log = logging.getLogger(__name__)

ENTRY = {}
FACTOR = 2.0


def compiled():
    folder = pathlib.Path(os.environ.get("TRITON_CACHE_DIR") or "/var/tmp")
    file = folder / "stale_cache.double"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(str(FACTOR))
    return float(file.read_text())


def dispatch(x):
    if os.environ.get("STALE_CACHE", "1") != "1":
        return fallback(x)
    try:
        return custom(x)
    except Exception as error:  # noqa: BLE001  whatever the fast path raises
        log.warning("the fast path failed (%s): torch runs", error)
        return fallback(x)


def custom(x):
    return compiled() * x


def fallback(x):
    return 2 * x
