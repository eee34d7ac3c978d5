"""
Gives its kernel the name of the memory fill that timing leaves out.

Source: P45, https://github.com/meta-pytorch/tritonbench
Kind: product
Waits for: device times by kernel
Must say: slower-than-base
"""

OPERATOR = "double"


def kernel(x):
    return x + x
