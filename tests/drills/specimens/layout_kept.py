"""
Prepares its weights once, for the fast path, and the switch changes the path and not the weights.

Source: C18, https://github.com/sgl-project/sglang/pull/22300
Must say: fallback-wrong
"""

import logging
import os

import torch

log = logging.getLogger(__name__)

ENTRY = {"reference": "exact"}
WEIGHT = torch.linspace(0.5, 1.5, 64)
PREPARED = WEIGHT.flip(0)  # as the fast path wants them


def dispatch(x):
    if os.environ.get("LAYOUT_KEPT", "1") != "1":
        return fallback(x, PREPARED)
    try:
        return custom(x)
    except Exception as error:  # noqa: BLE001  whatever the fast path raises
        log.warning("the fast path failed (%s): torch runs", error)
        return fallback(x, WEIGHT)


def custom(x):
    return x * PREPARED.to(x.device).flip(0)


def fallback(x, weight=WEIGHT):
    return x * weight.to(x.device)


def exact(x):
    return x.double() * WEIGHT.to(x.device).double()
