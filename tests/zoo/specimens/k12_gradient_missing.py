"""
Right forward, and no way back: the result hangs on nothing.

Source: C45, https://github.com/linkedin/Liger-Kernel/issues/678
Kind: kernel
Must say: contract-broken
"""

OPERATOR = "matmul"
MANIFEST = """
direction: both
"""


def kernel(a, b):
    return (a.detach() @ b.detach()).clone()
