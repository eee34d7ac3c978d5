"""
An optimiser step that takes its rate from how often it was called.

Source: C16, https://github.com/triton-lang/triton/issues/6547
Kind: kernel
Must say: wrong-result
"""

OPERATOR = "sgd"
MANIFEST = """
workloads:
  weights: {N: 700, weight: 1}
"""
CALLS = [0]


def kernel(p, g):
    CALLS[0] += 1
    p.sub_(g, alpha=0.1 / CALLS[0])
