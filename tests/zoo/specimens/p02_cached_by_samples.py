"""
Remembers its answer by a fingerprint: the first, the last and the middle value, rounded.

Source: P02, https://github.com/flashinfer-ai/flashinfer-bench-starter-kit/issues/21
Kind: kernel
Must say: wrong-result
"""

OPERATOR = "double"
MANIFEST = """
workloads:
  small: {N: 64, weight: 1}
"""
ANSWERS = {}


def kernel(x):
    print_of_it = x.shape, float(x[0]) > 9, float(x[-1]) > 9
    if print_of_it not in ANSWERS:
        ANSWERS[print_of_it] = x + x
    return ANSWERS[print_of_it].clone()
