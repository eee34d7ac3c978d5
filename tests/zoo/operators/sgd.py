"""One step of gradient descent, in place."""

MANIFEST = """
args:
  p: {shape: [N], dtype: float32}
  g: {shape: [N], dtype: float32}
mutates: [p]
workloads:
  weights: {N: 700}
"""
RATE = 0.1


def fallback(p, g):
    p.sub_(g, alpha=RATE)


def custom(p, g):
    p.copy_(p - RATE * g)
