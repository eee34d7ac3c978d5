"""
Skips experts that got no tokens, and leaves in their gradient whatever memory held.

Source: C11, https://github.com/tgale96/grouped_gemm/issues/36
Kind: kernel
Must say: wrong-result
"""

OPERATOR = "grouped_gradient"
MANIFEST = """
workloads:
  even: {T: 16, K: 32, N: 24}
  idle: {T: 16, K: 32, N: 24, args: {sizes: [4, 12, 0]}}
"""


def kernel(x, y, sizes):
    out = x.new_empty(len(sizes), x.shape[1], y.shape[1])
    for group, left, right in zip(out, x.split(sizes), y.split(sizes), strict=True):
        if left.shape[0]:
            group.copy_(left.T @ right)
    return out
