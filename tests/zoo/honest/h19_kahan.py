"""
Compensated sums, more exact than any other.

Source: C05, its honest twin
Kind: kernel
Must say: nothing
"""

import torch

OPERATOR = "row_sum"


def kernel(x):
    total, lost = torch.zeros_like(x[:, 0]), torch.zeros_like(x[:, 0])
    for column in x.unbind(dim=1):
        term = column - lost
        grown = total + term
        lost, total = (grown - total) - term, grown
    return total
