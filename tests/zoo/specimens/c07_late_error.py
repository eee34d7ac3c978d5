"""
An empty input leaves an error behind, which the next call reports.

Source: C07, https://github.com/NVIDIA/cuCollections/issues/75
Kind: kernel
Must say: does-not-run
"""

OPERATOR = "double"
MANIFEST = """
workloads:
  plain: {N: 64}
  empty: {N: 0}
"""
PENDING = []


def kernel(x):
    if PENDING:
        raise RuntimeError(f"invalid configuration argument: {PENDING.pop()}")
    if not x.numel():
        PENDING.append("launched with 0 blocks")
    return x + x
