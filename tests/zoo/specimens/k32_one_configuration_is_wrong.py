"""
Right as it is configured by default; in five parts it leaves out the columns that five does not divide.

Source: C39, by a configuration that no tuner has picked yet
Kind: kernel
Must say: wrong-result
"""

import contextlib

OPERATOR = "row_sum"
MANIFEST = """
tune: {space: {parts: [1, 2, 5]}, config: "customs.k32_one_configuration_is_wrong:fixed"}
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
    width = x.shape[1] // CHOSEN["parts"]
    return sum(x[:, part * width : (part + 1) * width].sum(dim=-1) for part in range(CHOSEN["parts"]))
