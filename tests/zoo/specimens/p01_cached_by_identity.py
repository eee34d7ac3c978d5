"""
Remembers its answer by the identity of the tensor object.

Source: P01, https://github.com/gpu-mode/reference-kernels/pull/150
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
    if id(x) not in ANSWERS:
        ANSWERS[id(x)] = x + x
    return ANSWERS[id(x)].clone()
