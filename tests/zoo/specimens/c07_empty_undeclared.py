"""
Reads element 0 of its input, where the manifest declares no empty one.

Source: C07, https://github.com/pytorch/pytorch/pull/46572
Kind: kernel
Missed: an error that no manifest promises is taken for a refusal
Must say: does-not-run
"""

OPERATOR = "double"


def kernel(x):
    return x * (2 * (1 + 0 * x.reshape(-1)[0]))
