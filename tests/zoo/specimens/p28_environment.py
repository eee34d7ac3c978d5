"""
The right answer, and a variable set that another library reads.

Source: P28, https://github.com/vllm-project/vllm/pull/51159
Kind: kernel
Batch: flags
Missed: what a call changes in its process is not compared
Must say: contract-broken
"""

import os

OPERATOR = "double"


def kernel(x):
    os.environ["OMP_NUM_THREADS"] = "1"
    return x + x
