"""
Asks for a version and takes the other path where it is not met: the guard is seen to fire, with the version it saw.

Source: C24, https://github.com/deepseek-ai/TileKernels/issues/24
Guard: package-too-old
Must say: nothing
"""

import logging
import os

log = logging.getLogger(__name__)

ENTRY = {"optional": ["fastops"]}


def misfit():
    try:
        import fastops
    except Exception as error:  # noqa: BLE001  whatever importing it raises
        return f"fastops cannot be imported ({error})"
    if int(fastops.__version__.partition(".")[0]) < 2:
        return f"fastops {fastops.__version__} is older than 2"
    return ""


def dispatch(x):
    if os.environ.get("VERSION_GUARDED", "1") != "1":
        return fallback(x)
    if why := misfit():
        log.warning("%s: torch runs", why)
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
