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


@tilelang.autotune(configs=[{"chunk": 2}, {"chunk": 4}], warmup=1, rep=1)
@tilelang.jit(out_idx=[-1], target="c", execution_backend="cython")
def chunked(length: int, chunk: int = 1):
    @T.prim_func
    def in_chunks(
        x: T.Tensor((length,), "float32"), y: T.Tensor((length,), "float32"), z: T.Tensor((length,), "float32")
    ):
        with T.Kernel(length // chunk) as block:
            for i in T.serial(chunk):
                z[block * chunk + i] = x[block * chunk + i] + y[block * chunk + i]

    return in_chunks


def searched():
    return chunked(8)(torch.ones(8), torch.ones(8))


def timed():
    """The tuner times on a GPU alone; here it is told that the second configuration is the fastest."""
    latencies = iter([2.0, 1.0])
    tilelang.profiler.Profiler.do_bench = lambda *_, **__: next(latencies)
    return searched()


def called():
    return add(torch.ones(16), torch.ones(16))
