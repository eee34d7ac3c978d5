"""
Looks whether its package is there by importing it, which replaces a function that the fallback uses.

Source: C25, https://github.com/vllm-project/vllm/pull/51159
Must say: fallback-wrong
"""

import logging
import os

import torch

log = logging.getLogger(__name__)

ENTRY = {"optional": ["patchops"], "reference": "exact"}


def found():
    try:
        import patchops  # noqa: F401
    except Exception as error:  # noqa: BLE001  whatever importing it raises
        log.warning("patchops cannot be imported (%s): torch runs", error)
        return False
    return True


FOUND = found()


def dispatch(x):
    if not FOUND or os.environ.get("PROBE_PATCHES", "1") != "1":
        return fallback(x)
    try:
        return custom(x)
    except Exception as error:  # noqa: BLE001  whatever the fast path raises
        log.warning("the fast path failed (%s): torch runs", error)
        return torch.add(x, x)


def custom(x):
    import patchops

    return patchops.double(x)


def fallback(x):
    return torch.ldexp(x, torch.ones((), device=x.device))


def exact(x):
    return 2 * x.double()
