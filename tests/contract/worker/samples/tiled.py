"""A TileLang kernel for the C target, and one that its compiler refuses."""

import functools

import tilelang
import tilelang.language as T
import torch


@functools.lru_cache(maxsize=None)
def built(length):
    @T.prim_func
    def kernel(
        x: T.Tensor((length,), "float32"), y: T.Tensor((length,), "float32"), z: T.Tensor((length,), "float32")
    ):
        with T.Kernel(1):
            for i in T.serial(length):
                z[i] = x[i] + y[i]

    return tilelang.compile(kernel, target="c", execution_backend="cython")


def add(x, y):
    out = torch.empty_like(x)
    built(x.numel())(x, y, out)
    return out


def refused(x, y):
    @T.prim_func
    def kernel(x: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            shared = T.alloc_shared((4,), "float32")
            T.copy(x, shared)

    tilelang.compile(kernel, target="no-such-target", execution_backend="cython")
    return x
