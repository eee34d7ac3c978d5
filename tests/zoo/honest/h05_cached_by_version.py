"""
Packs its weight again whenever the version of the tensor has changed.

Source: P03, its honest twin
Kind: kernel
Must say: nothing
"""

OPERATOR = "matmul"
MANIFEST = """
workloads:
  square: {M: 64, K: 64, N: 64, D: float32, weight: 1}
"""
PACKED = {}


def kernel(a, b):
    key = id(b)
    if PACKED.get(key, (None, None, None))[:2] != (b._version, b.data_ptr()):
        PACKED[key] = b._version, b.data_ptr(), b.t().contiguous()
    return a @ PACKED[key][2].t()
