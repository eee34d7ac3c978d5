"""
A package of that kind, looked for without importing it.

Source: C25, https://github.com/vllm-project/vllm/pull/51159
Must say: nothing
"""

import importlib.util
import logging
import os

import torch

log = logging.getLogger(__name__)

ENTRY = {"optional": ["stubops"]}
FOUND = importlib.util.find_spec("stubops") is not None
if not FOUND:
    log.warning("stubops is not installed: torch runs")


def dispatch(x):
    if not FOUND or os.environ.get("PROBE_LOOKS", "1") != "1":
        return fallback(x)
    try:
        return custom(x)
    except Exception as error:  # noqa: BLE001  whatever the fast path raises
        log.warning("the fast path failed (%s): torch runs", error)
        return torch.add(x, x)


def custom(x):
    import stubops

    return stubops.double(x)


def fallback(x):
    return torch.multiply(x, 2)
