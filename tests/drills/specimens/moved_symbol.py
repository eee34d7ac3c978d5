"""
Takes a helper from where an older version of the package had it, so that a fresh installation does not import.

Source: C24, https://github.com/deepseek-ai/TileKernels/issues/24
Must say: fallback-missing
"""

import os

from fastops import launch_double

ENTRY = {"optional": ["fastops"]}


def dispatch(x):
    return custom(x) if os.environ.get("MOVED_SYMBOL", "1") == "1" else fallback(x)


def custom(x):
    return launch_double(x)


def fallback(x):
    return 2 * x
