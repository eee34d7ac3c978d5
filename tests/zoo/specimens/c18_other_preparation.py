"""
Turns its weight at load for the kernel, and gives the turned one to the fallback as well when the switch is off.

Source: C18, https://github.com/sgl-project/sglang/pull/22300
Kind: product
Must say: fallback-wrong
"""

import os

from operators import matmul

OPERATOR = "matmul"
MANIFEST = """
dispatch: customs.c18_other_preparation:dispatch
workloads:
  square: {M: 64, K: 64, N: 64, D: float32}
"""


def kernel(a, b):
    return matmul.custom(a, b)


def dispatch(a, b):
    packed = b.t().contiguous()
    if os.environ.get("ZOO_C18_OTHER_PREPARATION", "1") == "1":
        return kernel(a, packed.t())
    return matmul.fallback(a, packed)
