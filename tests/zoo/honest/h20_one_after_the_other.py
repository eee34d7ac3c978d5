"""
One accumulator for a row, in the order that it lies.

Source: C05, its honest twin
Kind: kernel
Must say: nothing
"""

import torch

OPERATOR = "row_sum"
MANIFEST = """
workloads:
  long: {R: 8, C: 1500}
"""


def kernel(x):
    total = torch.zeros_like(x[:, 0])
    for column in x.unbind(dim=1):
        total = total + column
    return total
