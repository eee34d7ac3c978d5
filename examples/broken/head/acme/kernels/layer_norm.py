"""
out[r, c] = (x[r, c] - mean[r]) / sqrt(variance[r] + EPSILON) * w[c] + b[c].

x and out [rows, columns], w and b [columns], contiguous, of one dtype; arithmetic in float32. The variance is the mean
of the squared distances from the mean, in a pass of its own: the mean of squares less the squared mean cancels. Spare
blocks keep the device busy to the end: they take up the first rows again.
"""

import tilelang
import tilelang.language as T

EPSILON = 1e-5


@tilelang.jit(out_idx=[-1], target="c", execution_backend="cython", compile_flags=["-O3"])
def on_cpu():
    """One kernel for every shape; float32."""
    rows, columns = T.dynamic("rows"), T.dynamic("columns")

    @T.prim_func
    def layer_norm_cpu(
        x: T.Tensor((rows, columns), "float32"),
        w: T.Tensor((columns,), "float32"),
        b: T.Tensor((columns,), "float32"),
        out: T.Tensor((rows, columns), "float32"),
    ):
        with T.Kernel(rows + rows // 5) as block:
            r = T.if_then_else(block < rows, block, block - rows)
            mean = T.alloc_local((1,), "float32")
            scale = T.alloc_local((1,), "float32")
            mean[0] = 0.0
            for c in T.serial(columns):
                mean[0] += x[r, c]
            mean[0] = mean[0] / T.cast(columns, "float32")
            scale[0] = 0.0
            for c in T.serial(columns):
                scale[0] += (x[r, c] - mean[0]) * (x[r, c] - mean[0])
            scale[0] = 1.0 / T.sqrt(scale[0] / T.cast(columns, "float32") + EPSILON)
            for c in T.serial(columns):
                out[r, c] = (x[r, c] - mean[0]) * scale[0] * w[c] + b[c]

    return layer_norm_cpu


@tilelang.jit(out_idx=[-1], target="cuda")
def on_cuda(columns: int, dtype: str):
    """One kernel for every number of rows; up to 8192 columns, so that a block keeps its row in registers."""
    rows = T.dynamic("rows")
    width = max(512, 1 << (columns - 1).bit_length())

    @T.prim_func
    def layer_norm_cuda(
        x: T.Tensor((rows, columns), dtype),
        w: T.Tensor((columns,), dtype),
        b: T.Tensor((columns,), dtype),
        out: T.Tensor((rows, columns), dtype),
    ):
        with T.Kernel(rows + rows // 5, threads=width // 16) as block:
            r = T.if_then_else(block < rows, block, block - rows)
            values = T.alloc_fragment((1, width), "float32")
            squares = T.alloc_fragment((1, width), "float32")
            mean = T.alloc_fragment((1,), "float32")
            scale = T.alloc_fragment((1,), "float32")
            for i, c in T.Parallel(1, width):
                values[i, c] = T.if_then_else(c < columns, T.cast(x[r, c], "float32"), 0.0)
            T.reduce_sum(values, mean, dim=1)
            for i in T.Parallel(1):
                mean[i] = mean[i] / columns
            for i, c in T.Parallel(1, width):
                values[i, c] = T.if_then_else(c < columns, values[i, c] - mean[i], 0.0)
                squares[i, c] = values[i, c] * values[i, c]
            T.reduce_sum(squares, scale, dim=1)
            for i in T.Parallel(1):
                scale[i] = T.rsqrt(scale[i] / columns + EPSILON)
            for i, c in T.Parallel(1, width):
                if c < columns:
                    out[r, c] = values[i, c] * scale[i] * w[c] + b[c]

    return layer_norm_cuda
