"""
Nothing but a doubling, in a process that others spoil for it.

Source: P13, https://github.com/gpu-mode/pygpubench
Kind: kernel
Batch: poison
Missed: a process that another case has spoiled is believed
Must say: nothing
"""

OPERATOR = "double"
MANIFEST = """
workloads:
  small: {N: 64}
  odd: {N: 192}
"""


def kernel(x):
    return x + x
