"""
An optimiser step in place, as declared.

Source: C16, its honest twin
Kind: kernel
Must say: nothing
"""

OPERATOR = "sgd"
MANIFEST = """
workloads:
  weights: {N: 700, weight: 1}
"""


def kernel(p, g):
    p.add_(g, alpha=-0.1)
