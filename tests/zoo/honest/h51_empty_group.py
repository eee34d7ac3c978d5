"""
Zeros for experts without tokens, and a product for the others.

Source: C11, its honest twin
Kind: kernel
Must say: nothing
"""

OPERATOR = "grouped_gradient"
MANIFEST = """
workloads:
  even: {T: 16, K: 32, N: 24}
  idle: {T: 16, K: 32, N: 24, args: {sizes: [4, 12, 0]}}
"""


def kernel(x, y, sizes):
    out = x.new_zeros(len(sizes), x.shape[1], y.shape[1])
    start = 0
    for group, size in zip(out, sizes, strict=True):
        if size:
            group.copy_(x[start : start + size].T @ y[start : start + size])
        start += size
    return out
