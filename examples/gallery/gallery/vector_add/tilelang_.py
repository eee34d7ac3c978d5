"""out[n] = x[n] + y[n], all of one dtype and dense."""

import tilelang
import tilelang.language as T
import torch

from gallery.paths import dense, dtype_name


def vector_add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """x, y [n], float32 on the CPU, float32, float16 or bfloat16 on CUDA; strided ones are copied first."""
    if x.numel() == 0:
        return torch.empty_like(x)
    kernel = on_cuda(dtype_name(x)) if x.is_cuda else on_cpu()
    return kernel(dense(x), dense(y))


@tilelang.jit(out_idx=[-1], target="c", execution_backend="cython", compile_flags=["-O3"])
def on_cpu(block: int = 1024):
    """One kernel for every n. The C compiler turns the inner loop of a whole block into vector instructions."""
    n = T.dynamic("n")

    @T.prim_func
    def vector_add_cpu(
        x: T.Tensor((n,), "float32"),
        y: T.Tensor((n,), "float32"),
        out: T.Tensor((n,), "float32"),
    ):
        with T.Kernel(T.ceildiv(n, block)) as b:
            for i in T.serial(T.min(block, n - b * block)):
                out[b * block + i] = x[b * block + i] + y[b * block + i]

    return vector_add_cpu


@tilelang.jit(out_idx=[-1], target="cuda")
def on_cuda(dtype: str, threads: int = 256, bytes_per_thread: int = 32):
    """
    One kernel for every n. A thread loads 16 bytes at a time, twice over, so that four loads are on their way before
    the first is needed; only the last, ragged block looks at bounds.
    """
    n = T.dynamic("n")
    block = threads * bytes_per_thread // (4 if dtype == "float32" else 2)

    @T.prim_func
    def vector_add_tilelang(
        x: T.Tensor((n,), dtype),
        y: T.Tensor((n,), dtype),
        out: T.Tensor((n,), dtype),
    ):
        with T.Kernel(T.ceildiv(n, block), threads=threads) as b:
            if (b + 1) * block <= n:
                for i in T.Parallel(block):
                    out[b * block + i] = x[b * block + i] + y[b * block + i]
            else:
                for i in T.Parallel(block):
                    if b * block + i < n:
                        out[b * block + i] = x[b * block + i] + y[b * block + i]

    return vector_add_tilelang
