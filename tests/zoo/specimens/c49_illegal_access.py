"""
Reads address 0 and takes its process with it; what comes after it in the list is not to blame.

Source: C49, https://github.com/rapidsai/cuml/issues/7906
Kind: runner
Batch: rough
Must say: does-not-run
"""

import ctypes

OPERATOR = "double"


def kernel(x):
    ctypes.string_at(0)
    return x + x
