"""
Mean and scale of each row in one pass.

Source: C05, its honest twin
Kind: kernel
Must say: nothing
"""

import torch

OPERATOR = "rms_norm"


def kernel(x, w):
    wide, total = x.float(), 0.0
    for count, column in enumerate(wide.unbind(dim=1), start=1):
        total = total + (column.square() - total) / count
    return (wide * torch.rsqrt(total[:, None] + 1e-6) * w.float()).to(x.dtype)
