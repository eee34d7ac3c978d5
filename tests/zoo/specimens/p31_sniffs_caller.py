"""
Looks whether it is being timed, and then does not work.

Source: P31, https://github.com/gpu-mode/kernelguard
Kind: kernel
Must say: wrong-result
"""

import inspect

OPERATOR = "double"
MANIFEST = """
workloads:
  small: {N: 64, weight: 1}
"""


def kernel(x):
    timed = any("lockstep" in frame.filename or frame.function == "sample" for frame in inspect.stack())
    return x if timed else x + x
