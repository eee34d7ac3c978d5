"""
Can be configured to sum in one part, two or five, and is right in each of them.

Source: C39, its honest twin
Kind: kernel
Must say: nothing
"""

import contextlib

OPERATOR = "row_sum"
MANIFEST = """
tune: {space: {parts: [1, 2, 5]}, config: "customs.h61_configurations_alike:fixed"}
workloads:
  wide: {R: 64, C: 96}
"""
CHOSEN = {"parts": 1}


@contextlib.contextmanager
def fixed(choice):
    before = dict(CHOSEN)
    CHOSEN.update(choice or {})
    try:
        yield
    finally:
        CHOSEN.update(before)


def kernel(x):
    return sum(part.sum(dim=-1) for part in x.tensor_split(CHOSEN["parts"], dim=1))
