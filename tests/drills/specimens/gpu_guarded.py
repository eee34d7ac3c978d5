"""
Asks for the capability at the call, and takes the other path on a GPU that it does not know: the guard is seen to fire.

Source: C17, https://github.com/fla-org/flash-linear-attention/issues/640
Guard: lower-gpu, unknown-gpu
Must say: nothing
"""

import logging
import os

import torch

log = logging.getLogger(__name__)

ENTRY = {}
TILES = {8: 64, 9: 128, 10: 128}


def tile(x):
    return TILES.get(torch.cuda.get_device_capability(x.device)[0]) if x.is_cuda else 64


def dispatch(x):
    if os.environ.get("GPU_GUARDED", "1") != "1":
        return fallback(x)
    if tile(x) is None:
        log.warning("no tile is known to be right on this GPU: torch runs")
        return fallback(x)
    try:
        return custom(x)
    except Exception as error:  # noqa: BLE001  whatever the fast path raises
        log.warning("the fast path failed (%s): torch runs", error)
        return fallback(x)


def custom(x):
    return torch.cat([part + part for part in x.split(tile(x))])


def fallback(x):
    return 2 * x
