"""
The kernel fails to start, the exception is swallowed, and the fallback answers in its place.

Source: C21, P24, P53, https://github.com/HazyResearch/m2/issues/1
Kind: kernel
Must say: path-not-taken
"""

from operators.softmax import fallback

OPERATOR = "softmax"


def launch(x):
    raise RuntimeError("device function attribute: invalid argument")


def kernel(x):
    try:
        return launch(x)
    except RuntimeError:
        return fallback(x)
