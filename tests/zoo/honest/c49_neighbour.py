"""
Comes after kernels that take their process with them, and is right.

Source: C49, https://github.com/rapidsai/cuml/pull/8519
Kind: runner
Batch: rough
Must say: nothing
"""

OPERATOR = "double"


def kernel(x):
    return x + x
