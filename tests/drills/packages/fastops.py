"""An optional package as products have them: it may be taken away, and half of what it says of itself is a version."""

__version__ = "2.1.0"


def double(x):
    return x + x
