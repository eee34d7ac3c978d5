"""
Nobody knows whom to tell when this kernel breaks.

Source: C56, https://github.com/huggingface/kernels-community/pull/1105
Kind: product
Must say: owner-missing
"""

OPERATOR = "double"
MANIFEST = """
owners: []
"""


def kernel(x):
    return x + x
