"""2 * x, of any shape."""

MANIFEST = """
args:
  x: {shape: [N], dtype: float32}
workloads:
  small: {N: 64}
  odd: {N: 1021}
"""


def fallback(x):
    return 2 * x


def custom(x):
    return x + x


def near(outputs, expected, inputs):
    if not expected[0].numel():
        return True
    error = float((outputs[0].double() - expected[0].double()).norm() / expected[0].double().norm())
    return {"holds": error < 1e-3, "relative error": error}
