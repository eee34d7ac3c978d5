"""
Comes after kernels that break torch for their whole process, and is right.

Source: C49, https://github.com/rapidsai/cuml/pull/8519
Kind: runner
Batch: rough
Must say: nothing
"""

OPERATOR = "row_sum"


def kernel(x):
    return x.sum(dim=-1)
