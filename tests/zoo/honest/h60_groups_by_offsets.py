"""
Sums groups of rows that offsets divide, empty ones too, and looks for none beyond the last.

Source: C11, an honest twin
Kind: kernel
Must say: nothing
"""

import torch

OPERATOR = "group_sum"


def kernel(x, offsets):
    sums = torch.cat((x.new_zeros(1, x.shape[1], dtype=torch.float64), x.double().cumsum(dim=0)))
    return (sums[offsets[1:]] - sums[offsets[:-1]]).to(x.dtype)
