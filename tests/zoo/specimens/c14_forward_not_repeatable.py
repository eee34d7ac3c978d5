"""
Declares itself deterministic, and sums its parts in an order that changes from call to call.

Source: C14, https://github.com/Dao-AILab/flash-attention/issues/2244
Kind: kernel
Must say: nondeterministic
"""

import random

OPERATOR = "row_sum"
MANIFEST = """
deterministic: true
"""

ORDER = random.Random()


def kernel(x):
    columns = list(x.unbind(dim=1))
    ORDER.shuffle(columns)
    total = columns[0].clone()
    for column in columns[1:]:
        total += column
    return total
