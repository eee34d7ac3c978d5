"""
out[r, c] = exp(x[r, c]) / sum over c of exp(x[r, c]): one pass over x is enough.

x and out [rows, columns], contiguous, of one dtype; arithmetic in float32.
"""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1], target="c", execution_backend="cython", compile_flags=["-O3"])
def on_cpu():
    """One kernel for every shape; float32."""
    rows, columns = T.dynamic("rows"), T.dynamic("columns")

    @T.prim_func
    def softmax_cpu(
        x: T.Tensor((rows, columns), "float32"),
        out: T.Tensor((rows, columns), "float32"),
    ):
        with T.Kernel(rows) as r:
            total = T.alloc_local((1,), "float32")
            total[0] = 0.0
            for c in T.serial(columns):
                out[r, c] = T.exp(x[r, c])
                total[0] += out[r, c]
            for c in T.serial(columns):
                out[r, c] = out[r, c] / total[0]

    return softmax_cpu


@tilelang.jit(out_idx=[-1], target="cuda")
def on_cuda(columns: int, dtype: str):
    """One kernel for every number of rows; up to 8192 columns, so that a block keeps its row in registers."""
    rows = T.dynamic("rows")
    width = max(512, 1 << (columns - 1).bit_length())

    @T.prim_func
    def softmax_cuda(
        x: T.Tensor((rows, columns), dtype),
        out: T.Tensor((rows, columns), dtype),
    ):
        with T.Kernel(rows, threads=width // 16) as r:
            values = T.alloc_fragment((1, width), "float32")
            total = T.alloc_fragment((1,), "float32")
            for i, c in T.Parallel(1, width):
                values[i, c] = T.if_then_else(c < columns, T.cast(x[r, c], "float32"), -T.infinity("float32"))
            for i, c in T.Parallel(1, width):
                values[i, c] = T.exp(values[i, c])
            T.reduce_sum(values, total, dim=1)
            for i, c in T.Parallel(1, width):
                if c < columns:
                    out[r, c] = values[i, c] / total[i]

    return softmax_cuda
