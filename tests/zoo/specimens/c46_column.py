"""
Returns a column where the caller expects a row; a subtraction would make a square of them.

Source: C46, P48, https://github.com/keras-team/keras/pull/23605
Kind: kernel
Must say: contract-broken
"""

OPERATOR = "row_sum"


def kernel(x):
    return x.sum(dim=-1, keepdim=True)
