"""
One call in a thousand is wrong: a hundred repeats miss it nine times in ten.

Source: C13, P40, https://github.com/warpfront/hipfire/pull/575
Kind: kernel
Missed: default repeats are too few for one in a thousand; what a run says is the bound that they support
Must say: nondeterministic
"""

OPERATOR = "row_sum"
CALLS = [0]


def kernel(x):
    CALLS[0] += 1
    out = x.sum(dim=-1)
    if CALLS[0] % 1000 == 0:
        out[0] = float("nan")
    return out
