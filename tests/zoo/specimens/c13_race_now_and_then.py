"""
A shared buffer is used again without a barrier: one call in twenty is wrong, as twice in a million was.

Source: C13, P40, https://github.com/warpfront/hipfire/pull/575
Kind: kernel
Must say: nondeterministic
"""

OPERATOR = "row_sum"
CALLS = [0]


def kernel(x):
    CALLS[0] += 1
    out = x.sum(dim=-1)
    if CALLS[0] % 20 == 0:
        out[0] = float("nan")
    return out
