"""
The second call goes to a path of its own, which a change of a buffer broke.

Source: C16, https://github.com/triton-lang/triton/issues/6547
Kind: kernel
Must say: wrong-result
"""

OPERATOR = "double"
CALLS = {}


def kernel(x):
    CALLS[x.shape] = CALLS.get(x.shape, 0) + 1
    return x + x if CALLS[x.shape] == 1 else x * 3
