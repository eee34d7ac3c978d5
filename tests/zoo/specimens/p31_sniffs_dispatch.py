"""
Looks whether the product calls it, and then answers otherwise.

Source: P31, https://github.com/gpu-mode/kernelguard
Kind: kernel
Must say: wrong-result
"""

import inspect

OPERATOR = "double"


def kernel(x):
    return x if any(frame.function == "dispatch" for frame in inspect.stack()) else x + x
