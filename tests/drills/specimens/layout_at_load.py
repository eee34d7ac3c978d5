"""
Prepares its weights for the path that the switch asks for at load, and reads the switch again at every call: right
when it is off from the start, wrong when it is turned off later.

Source: C18, https://github.com/sgl-project/sglang/pull/22300
Must say: fallback-wrong (switch-off-later)
"""

import logging
import os

import torch

log = logging.getLogger(__name__)

ENTRY = {"reference": "exact", "read": "call"}
WEIGHT = torch.linspace(0.5, 1.5, 64)


def on():
    return os.environ.get("LAYOUT_AT_LOAD", "1") == "1"


PREPARED = WEIGHT.flip(0) if on() else WEIGHT


def dispatch(x):
    if not on():
        return fallback(x, PREPARED)
    try:
        return custom(x)
    except Exception as error:  # noqa: BLE001  whatever the fast path raises
        log.warning("the fast path failed (%s): torch runs", error)
        return fallback(x)


def custom(x):
    return x * PREPARED.to(x.device).flip(0)


def fallback(x, weight=WEIGHT):
    return x * weight.to(x.device)


def exact(x):
    return x.double() * WEIGHT.to(x.device).double()
