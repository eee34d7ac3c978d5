"""Reaches for the driver's library while it is imported, as bindings of CUDA do; there is none of this name anywhere."""

import ctypes

ctypes.CDLL("libcuda.so.none")


def built(x, y):
    return x
