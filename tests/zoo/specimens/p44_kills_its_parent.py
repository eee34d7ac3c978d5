"""
Kills the process that started it.

Source: P44, https://github.com/gpu-mode/kernelguard
Kind: runner
Batch: alone
Waits for: the sandbox: today the gate dies with it, and a job without an answer fails
Must say: does-not-run
"""

import os
import signal

OPERATOR = "double"


def kernel(x):
    os.kill(os.getppid(), signal.SIGKILL)
    return x
