"""
Atomics: sums in any order, and the manifest says that no bit is promised.

Source: C14, its honest twin
Kind: kernel
Must say: nothing
"""

import random

OPERATOR = "row_sum"
MANIFEST = """
deterministic: false
"""

ORDER = random.Random()


def kernel(x):
    columns = list(x.unbind(dim=1))
    ORDER.shuffle(columns)
    total = columns[0].clone()
    for column in columns[1:]:
        total += column
    return total
