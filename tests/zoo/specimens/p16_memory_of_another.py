"""
Reads and writes the memory of the process that judges it.

Source: P16, https://github.com/gpu-mode/pygpubench
Kind: runner
Waits for: the sandbox: processes of other users, seccomp
Must say: does-not-run
"""

import os

OPERATOR = "double"


def kernel(x):
    with open(f"/proc/{os.getppid()}/mem", "r+b") as memory:
        memory.seek(0)
    return x + x
