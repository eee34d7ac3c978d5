"""
Hands its work to a thread and returns: what is measured is the handing over.

Source: C33, P07, https://github.com/tinygrad/mlx-benchmark/pull/21
Kind: timing
Must say: wrong-result
"""

from concurrent.futures import ThreadPoolExecutor

import torch
from operators.work import WORK_S, spin

OPERATOR = "work"
POOL = ThreadPoolExecutor(max_workers=1)


def kernel(x):
    out = torch.zeros_like(x)
    given = x.clone()

    def work():
        spin(5 * WORK_S)
        out.copy_(given + given)

    POOL.submit(work)
    return out
