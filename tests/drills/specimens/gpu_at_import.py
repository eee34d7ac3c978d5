"""
Asks the GPU for its capability when it is imported, and looks it up in a table of those that it knows.

Must say on a GPU: fallback-raises (no-gpu), fallback-raises (lower-gpu), fallback-raises (unknown-gpu)
Must say: nothing
"""

import logging
import os

import torch

log = logging.getLogger(__name__)

ENTRY = {}
TILES = {8: 64, 9: 128, 10: 128}
# A torch without CUDA has no GPU to ask.
TILE = TILES[torch.cuda.get_device_capability()[0]] if torch.version.cuda else 64


def dispatch(x):
    if os.environ.get("GPU_AT_IMPORT", "1") != "1":
        return fallback(x)
    try:
        return custom(x)
    except Exception as error:  # noqa: BLE001  whatever the fast path raises
        log.warning("the fast path failed (%s): torch runs", error)
        return fallback(x)


def custom(x):
    return torch.cat([part + part for part in x.split(TILE)])


def fallback(x):
    return 2 * x
