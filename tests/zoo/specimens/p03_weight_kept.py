"""
Packs its weight once per object, and goes on with the packed one after the weight has changed in place.

Source: P03, https://kernelbench.com
Kind: kernel
Must say: wrong-result
"""

OPERATOR = "matmul"
MANIFEST = """
workloads:
  square: {M: 64, K: 64, N: 64, D: float32, weight: 1}
"""
PACKED = {}


def kernel(a, b):
    if id(b) not in PACKED:
        PACKED[id(b)] = b.t().contiguous()
    return a @ PACKED[id(b)].t()
