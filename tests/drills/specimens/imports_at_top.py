"""
Imports its optional package at the top of the module, so that nothing imports where the package does not.

Source: C19, https://github.com/sgl-project/sglang/issues/29317
Must say: fallback-raises (package-absent), fallback-raises (package-import-error), fallback-raises (package-os-error),
    fallback-raises (package-raises), fallback-raises (out-of-shared-memory), fallback-raises (out-of-memory),
    fallback-raises (call-refused)
"""

import os

import fastops

ENTRY = {"optional": ["fastops"], "read": "call"}


def dispatch(x):
    return custom(x) if os.environ.get("IMPORTS_AT_TOP", "1") == "1" else fallback(x)


def custom(x):
    return fastops.double(x)


def fallback(x):
    return 2 * x
