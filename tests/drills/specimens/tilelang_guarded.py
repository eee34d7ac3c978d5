"""
A TileLang kernel behind a dispatch that knows what its compiler and its launch may raise.

Must say: nothing
"""

import functools
import logging
import os

import torch

log = logging.getLogger(__name__)

ENTRY = {"dsl": "tilelang", "targets": ["cpu"]}


def dispatch(x):
    if os.environ.get("TILELANG_GUARDED", "1") != "1":
        return fallback(x)
    try:
        return custom(x)
    except Exception as error:  # noqa: BLE001  of the import, the compiler or the launch
        log.warning("TileLang's kernel does not run (%s): torch does", error)
        return fallback(x)


def custom(x):
    return kernel()(x)


@functools.cache
def kernel():
    from products.tilelang_kernel import double

    return double()


def fallback(x):
    return torch.mul(x, 2)
