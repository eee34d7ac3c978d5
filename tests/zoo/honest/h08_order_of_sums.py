"""
Adds up its parts in an order that changes from call to call, and never promised another.

Source: C14, its honest twin
Kind: kernel
Must say: nothing
"""

import random

OPERATOR = "row_sum"

ORDER = random.Random()


def kernel(x):
    columns = list(x.unbind(dim=1))
    ORDER.shuffle(columns)
    total = columns[0].clone()
    for column in columns[1:]:
        total += column
    return total
