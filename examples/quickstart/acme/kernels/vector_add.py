"""out[n] = x[n] + y[n], all float32 and contiguous."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1], target="c", execution_backend="cython", compile_flags=["-O3"])
def on_cpu(block: int = 1024):
    """One kernel for every n. gcc turns the inner loop of a whole block into vector instructions."""
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
def on_cuda(block: int = 1024, threads: int = 256):
    """One kernel for every n. Whole blocks move 16 bytes a thread; only the last, ragged one looks at bounds."""
    n = T.dynamic("n")

    @T.prim_func
    def vector_add_cuda(
        x: T.Tensor((n,), "float32"),
        y: T.Tensor((n,), "float32"),
        out: T.Tensor((n,), "float32"),
    ):
        with T.Kernel(T.ceildiv(n, block), threads=threads) as b:
            if (b + 1) * block <= n:
                for i in T.Parallel(block):
                    out[b * block + i] = x[b * block + i] + y[b * block + i]
            else:
                for i in T.Parallel(block):
                    if b * block + i < n:
                        out[b * block + i] = x[b * block + i] + y[b * block + i]

    return vector_add_cuda
