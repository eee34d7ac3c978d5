"""
The same kernel, without a word about what its compiler may raise.

Must say: fallback-raises (package-absent), fallback-raises (package-import-error), fallback-raises (package-os-error),
    fallback-raises (package-raises), fallback-raises (compiler-missing), fallback-raises (compiler-fails),
    fallback-raises (out-of-shared-memory), fallback-raises (out-of-memory), fallback-raises (call-refused)
"""

import functools
import os

import torch

ENTRY = {"dsl": "tilelang", "targets": ["cpu"]}


def dispatch(x):
    return custom(x) if os.environ.get("TILELANG_UNGUARDED", "1") == "1" else fallback(x)


def custom(x):
    return kernel()(x)


@functools.cache
def kernel():
    from products.tilelang_kernel import double

    return double()


def fallback(x):
    return torch.mul(x, 2)
