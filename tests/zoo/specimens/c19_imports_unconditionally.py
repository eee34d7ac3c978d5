"""
The product imports the package of its kernels at the top, also where no kernel is wanted.

Source: C19, https://github.com/sgl-project/sglang/issues/29317
Kind: product
Must say: does-not-run
"""

import no_such_kernels
from operators.double import fallback

OPERATOR = "double"
MANIFEST = """
dispatch: customs.c19_imports_unconditionally:dispatch
"""


def kernel(x):
    return no_such_kernels.double(x)


def dispatch(x):
    return fallback(x)
