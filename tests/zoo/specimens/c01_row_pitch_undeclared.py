"""
The same stride guard that looks only at the last dimension, where the manifest declares dense tensors alone.

Source: C01, https://github.com/NVIDIA/TransformerEngine/pull/2746
Kind: kernel
Must say: wrong-result
"""

OPERATOR = "row_sum"


def kernel(x):
    if x.stride(-1) != 1:
        x = x.contiguous()
    return x.as_strided(x.shape, (x.shape[1], 1)).sum(dim=-1)
