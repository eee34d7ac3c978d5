"""
Applies a scale after each block of 128, and none after what is left: with K = 320 wrong by three orders.

Source: C06, https://github.com/pytorch/FBGEMM/issues/6159
Kind: kernel
Must say: wrong-result
"""

OPERATOR = "scaled_matmul"
MANIFEST = """
workloads:
  even: {M: 16, K: 256, N: 32}
  ragged: {M: 16, K: 320, N: 32}
"""


TILE, BLOCK = 64, 128


def kernel(a, b, scales):
    total, part = 0, 0
    for start in range(0, a.shape[1], TILE):
        part = part + a[:, start : start + TILE] @ b[start : start + TILE]
        if start + TILE < a.shape[1] and (start + TILE) % BLOCK == 0:
            total, part = total + part * scales[start // BLOCK], 0
    left_over = a.shape[1] % BLOCK
    return total + (part if left_over else part * scales[-1])
