"""
A list where the fallback gives a tuple.

Source: C46, its honest twin
Kind: kernel
Must say: nothing
"""

OPERATOR = "centred"


def kernel(x):
    mean = x.mean(dim=-1, keepdim=True)
    return [mean.squeeze(-1), x - mean]
