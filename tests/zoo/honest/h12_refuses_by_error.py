"""
Takes multiples of 8 alone; the manifest says so, and the error is the promised one.

Source: C28, its honest twin
Kind: kernel
Must say: nothing
"""

OPERATOR = "double"
MANIFEST = """
refuses: [{when: "N % 8 != 0", with: ValueError}]
workloads:
  small: {N: 64}
"""


def kernel(x):
    if len(x) % 8:
        raise ValueError("N must be a multiple of 8")
    return x + x
