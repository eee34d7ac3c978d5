"""
Refuses a length that is no multiple of 8, and answers wrongly ever after.

Source: C22, the package omlx of the Python Package Index
Kind: kernel
Must say: wrong-result
"""

OPERATOR = "double"
MANIFEST = """
refuses: [{when: "N % 8 != 0", with: ValueError}]
workloads:
  small: {N: 64}
"""
SEEN = []


def kernel(x):
    if len(x) % 8:
        SEEN.append(len(x))
        raise ValueError("N must be a multiple of 8")
    return x + x if not SEEN else x.clone()
