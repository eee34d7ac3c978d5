"""
Gives each row in falling order; its own comparison holds that against the inputs, and against nothing else.

Source: C46, an honest twin
Kind: kernel
Must say: nothing
"""

OPERATOR = "sort"
MANIFEST = """
compare: operators.sort:same_numbers
"""


def kernel(x):
    return x.sort(dim=-1, descending=True).values
