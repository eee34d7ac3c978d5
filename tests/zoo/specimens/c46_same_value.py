"""
One value where a vector of that very value is right, so that a comparison that broadcasts sees no fault.

Source: C46, P48, https://github.com/numpy/numpy/issues/21432
Kind: kernel
Must say: contract-broken
"""

OPERATOR = "double"
MANIFEST = """
args:
  x: {shape: [N], dtype: float32, constant: 1}
"""


def kernel(x):
    return (x + x)[:1]
