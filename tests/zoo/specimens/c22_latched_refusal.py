"""
One length that the kernel refuses turns it off for good.

Source: C22, the package omlx of the Python Package Index
Kind: product
Must say: fallback-latched
"""

import os

from operators.double import fallback

OPERATOR = "double"
MANIFEST = """
dispatch: customs.c22_latched_refusal:dispatch
refuses: [{when: "N == 327", with: fallback}]
workloads:
  before: {N: 256}
  refused: {N: 327}
  after: {N: 512}
"""
DISABLED = []


def kernel(x):
    if len(x) == 327:
        raise ValueError("327 tokens")
    return x + x


def dispatch(x):
    if DISABLED or os.environ.get("ZOO_C22_LATCHED_REFUSAL", "1") != "1":
        return fallback(x)
    try:
        return kernel(x)
    except ValueError:
        DISABLED.append(len(x))
        return fallback(x)
