"""
Leaves the last scale out if K is no multiple of 128, where every declared K is.

Source: C06, https://github.com/pytorch/FBGEMM/issues/6159
Kind: kernel
Must say: wrong-result
"""

OPERATOR = "scaled_matmul"


TILE, BLOCK = 64, 128


def kernel(a, b, scales):
    total, part = 0, 0
    for start in range(0, a.shape[1], TILE):
        part = part + a[:, start : start + TILE] @ b[start : start + TILE]
        if start + TILE < a.shape[1] and (start + TILE) % BLOCK == 0:
            total, part = total + part * scales[start // BLOCK], 0
    left_over = a.shape[1] % BLOCK
    return total + (part if left_over else part * scales[-1])
