"""
Promises ValueError for lengths that are no multiple of 8, and answers them with a wrong number.

Source: C28, https://github.com/vllm-project/vllm/pull/52192
Kind: kernel
Must say: wrong-result
"""

OPERATOR = "double"
MANIFEST = """
refuses: [{when: "N % 8 != 0", with: ValueError}]
workloads:
  small: {N: 64}
"""


def kernel(x):
    whole = len(x) // 8 * 8
    out = x.new_zeros(x.shape)
    out[:whole] = x[:whole] * 2
    return out
