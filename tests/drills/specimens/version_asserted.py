"""
Asks for a version and ends in an error where it is not met, instead of taking the other path.

Source: C24, https://github.com/deepseek-ai/TileKernels/issues/24
Must say: fallback-raises (package-too-old)
"""

import logging
import os

log = logging.getLogger(__name__)

ENTRY = {"optional": ["fastops"]}


def dispatch(x):
    if os.environ.get("VERSION_ASSERTED", "1") != "1":
        return fallback(x)
    try:
        import fastops
    except Exception as error:  # noqa: BLE001  whatever importing it raises
        log.warning("fastops cannot be imported (%s): torch runs", error)
        return fallback(x)
    if int(fastops.__version__.partition(".")[0]) < 2:
        raise RuntimeError(f"fastops {fastops.__version__} is too old: install fastops>=2")
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
