"""
out[i] = f(x[i], y[i]), flat and contiguous, with f one of OPERATIONS and arithmetic in float32.

x and y are of one dtype; out may have another.
"""

import tilelang
import tilelang.language as T


def swish(v):
    return v / (1.0 + T.exp(-v))


def gelu(v):
    """v times the normal distribution's share below v, by the error function."""
    return 0.5 * v * (1.0 + T.erf(v * 0.7071067811865476))


OPERATIONS = {
    "add": lambda x, y: x + y,
    "swiglu": lambda x, y: swish(x) * y,
    "geglu": lambda x, y: gelu(x) * y,
}


@tilelang.jit(out_idx=[-1], target="c", execution_backend="cython", compile_flags=["-O3"])
def on_cpu(operation: str, block: int = 1024):
    """One kernel for every n; float32."""
    n = T.dynamic("n")
    f = OPERATIONS[operation]

    @T.prim_func
    def pointwise_cpu(
        x: T.Tensor((n,), "float32"),
        y: T.Tensor((n,), "float32"),
        out: T.Tensor((n,), "float32"),
    ):
        with T.Kernel(T.ceildiv(n, block)) as b:
            for i in T.serial(T.min(block, n - b * block)):
                out[b * block + i] = f(x[b * block + i], y[b * block + i])

    return pointwise_cpu


@tilelang.jit(out_idx=[-1], target="cuda")
def on_cuda(operation: str, dtype: str, out_dtype: str, block: int = 2048, threads: int = 256):
    """One kernel for every n. Whole blocks move 16 bytes a thread; only the last, ragged one looks at bounds."""
    n = T.dynamic("n")
    f = OPERATIONS[operation]

    @T.prim_func
    def pointwise_cuda(
        x: T.Tensor((n,), dtype),
        y: T.Tensor((n,), dtype),
        out: T.Tensor((n,), out_dtype),
    ):
        with T.Kernel(T.ceildiv(n, block), threads=threads) as b:
            if (b + 1) * block <= n:
                for i in T.Parallel(block):
                    out[b * block + i] = f(T.cast(x[b * block + i], "float32"), T.cast(y[b * block + i], "float32"))
            else:
                for i in T.Parallel(block):
                    if b * block + i < n:
                        out[b * block + i] = f(T.cast(x[b * block + i], "float32"), T.cast(y[b * block + i], "float32"))

    return pointwise_cuda
