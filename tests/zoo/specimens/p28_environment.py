"""
The right answer, and a variable set that another library reads.

Source: P28, https://github.com/vllm-project/vllm/pull/51159
Kind: kernel
Batch: flags
Must say: contract-broken
"""

import os

OPERATOR = "double"


def kernel(x):
    os.environ["NCCL_DEBUG"] = "INFO"
    return x + x
