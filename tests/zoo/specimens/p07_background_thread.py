"""
Returns at once and lets a thread fill the output later.

Source: P07, https://github.com/ScalingIntelligence/KernelBench/blob/main/src/kernelbench/kernel_static_checker.py
Kind: kernel
Must say: wrong-result
"""

import threading
import time

import torch

OPERATOR = "double"


def kernel(x):
    out = torch.zeros_like(x)

    def work():
        time.sleep(0.05)
        out.copy_(x + x)

    threading.Thread(target=work).start()
    return out
