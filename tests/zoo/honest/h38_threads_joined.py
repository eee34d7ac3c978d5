"""
Four threads that are waited for.

Source: P07, its honest twin
Kind: kernel
Must say: nothing
"""

from concurrent.futures import ThreadPoolExecutor

import torch

OPERATOR = "double"


def kernel(x):
    out = torch.empty_like(x)
    with ThreadPoolExecutor(max_workers=4) as pool:
        list(
            pool.map(lambda pair: torch.add(pair[0], pair[0], out=pair[1]), zip(x.chunk(4), out.chunk(4), strict=True))
        )
    return out
