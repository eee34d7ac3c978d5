"""
Somebody else holds most of the memory before the run begins.

Source: C53, https://github.com/mirage-project/mirage/pull/706
Kind: runner
Waits for: a second process on the GPU; `kgate doctor` and tests/unit/test_nvml.py hold it meanwhile
Must say: not-measured
"""

OPERATOR = "double"


def kernel(x):
    return x + x
