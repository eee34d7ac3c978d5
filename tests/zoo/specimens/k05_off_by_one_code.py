"""
One code of 2048 is off by one: integers are exact.

Source: C06, https://github.com/pytorch/FBGEMM/issues/6159
Kind: kernel
Must say: wrong-result
"""

OPERATOR = "quantise"


def kernel(x):
    scale = x.abs().amax(dim=-1) / 127
    codes = (x / scale[:, None]).round().char()
    codes[3, 5] += 1 if codes[3, 5] < 100 else -1
    return codes, scale
