"""
out[r, c] = exp(x[r, c] - m[r]) / sum over c of exp(x[r, c] - m[r]), with m[r] the largest value of row r.

x and out [rows, columns], dense, of one dtype; arithmetic in float32. Powers are taken of 2, which the GPU has an
instruction for, of arguments scaled by log2(e).
"""

import tilelang
import tilelang.language as T
import torch

from gallery.paths import dense, dtype_name

LOWEST = -3.4028234663852886e38  # of float32
LOG2_E = 1.4426950408889634
WIDEST_ROW = 16384  # columns that a block holds in registers: 1024 threads with 16 values each


def softmax(x: torch.Tensor) -> torch.Tensor:
    """x [rows, columns], float32 on the CPU, float32, float16 or bfloat16 on CUDA; strided ones are copied first."""
    if x.numel() == 0:
        return torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if not x.is_cuda:
        return on_cpu()(dense(x))
    factory = on_cuda if x.shape[1] <= WIDEST_ROW else on_cuda_wide
    return factory(x.shape[1], dtype_name(x))(dense(x))


@tilelang.jit(out_idx=[-1], target="c", execution_backend="cython", compile_flags=["-O3"])
def on_cpu():
    """One kernel for every shape. Three passes over a row: maximum, exponentials with their sum, division."""
    rows, columns = T.dynamic("rows"), T.dynamic("columns")

    @T.prim_func
    def softmax_cpu(
        x: T.Tensor((rows, columns), "float32"),
        out: T.Tensor((rows, columns), "float32"),
    ):
        with T.Kernel(rows) as r:
            largest = T.alloc_local((1,), "float32")
            total = T.alloc_local((1,), "float32")
            largest[0] = x[r, 0]
            for c in T.serial(columns):
                largest[0] = T.max(largest[0], x[r, c])
            total[0] = 0.0
            for c in T.serial(columns):
                out[r, c] = T.exp(x[r, c] - largest[0])
                total[0] += out[r, c]
            for c in T.serial(columns):
                out[r, c] = out[r, c] / total[0]

    return softmax_cpu


@tilelang.jit(out_idx=[-1], target="cuda")
def on_cuda(columns: int, dtype: str, values_per_thread: int = 16):
    """
    One kernel for every number of rows. A block takes a row and keeps it in registers, so that memory sees each value
    once on its way in and once on its way out. Up to 512 columns a block is one warp and needs no barrier.
    """
    rows = T.dynamic("rows")
    tile = max(256, 1 << (columns - 1).bit_length())
    threads = max(32, tile // values_per_thread)

    @T.prim_func
    def softmax_tilelang(
        x: T.Tensor((rows, columns), dtype),
        out: T.Tensor((rows, columns), dtype),
    ):
        with T.Kernel(rows, threads=threads) as r:
            values = T.alloc_fragment((1, tile), "float32")
            largest = T.alloc_fragment((1,), "float32")
            total = T.alloc_fragment((1,), "float32")
            for i, j in T.Parallel(1, tile):
                values[i, j] = T.if_then_else(j < columns, T.cast(x[r, j], "float32"), -T.infinity("float32"))
            T.reduce_max(values, largest, dim=1)
            for i, j in T.Parallel(1, tile):
                values[i, j] = T.exp2((values[i, j] - largest[i]) * LOG2_E)
            T.reduce_sum(values, total, dim=1)
            for i in T.Parallel(1):
                total[i] = 1.0 / total[i]
            for i, j in T.Parallel(1, tile):
                if j < columns:
                    out[r, j] = values[i, j] * total[i]

    return softmax_tilelang


@tilelang.jit(out_idx=[-1], target="cuda")
def on_cuda_wide(columns: int, dtype: str, tile: int = 8192, threads: int = 512):
    """
    For rows that no block can hold. A first pass keeps maximum and sum up to date from tile to tile; a second one reads
    the row again, most of it from the cache, and writes.

    The maximum starts at the lowest finite number, not at -inf: a tile that is -inf throughout then adds 0, where
    -inf - -inf would add NaN.

    Over 40 lines, since a kernel is traced as one function.
    """
    rows = T.dynamic("rows")

    @T.prim_func
    def softmax_tilelang_wide(
        x: T.Tensor((rows, columns), dtype),
        out: T.Tensor((rows, columns), dtype),
    ):
        with T.Kernel(rows, threads=threads) as r:
            values = T.alloc_fragment((1, tile), "float32")
            largest = T.alloc_fragment((1,), "float32")
            before = T.alloc_fragment((1,), "float32")
            total = T.alloc_fragment((1,), "float32")
            added = T.alloc_fragment((1,), "float32")
            T.fill(largest, LOWEST)
            T.clear(total)
            for t in T.serial(T.ceildiv(columns, tile)):
                for i, j in T.Parallel(1, tile):
                    values[i, j] = T.if_then_else(
                        t * tile + j < columns, T.cast(x[r, t * tile + j], "float32"), -T.infinity("float32")
                    )
                T.copy(largest, before)
                T.reduce_max(values, largest, dim=1, clear=False)
                for i, j in T.Parallel(1, tile):
                    values[i, j] = T.exp2((values[i, j] - largest[i]) * LOG2_E)
                T.reduce_sum(values, added, dim=1)
                for i in T.Parallel(1):
                    total[i] = total[i] * T.exp2((before[i] - largest[i]) * LOG2_E) + added[i]
            for i in T.Parallel(1):
                total[i] = 1.0 / total[i]
            for t in T.serial(T.ceildiv(columns, tile)):
                for i, j in T.Parallel(1, tile):
                    if t * tile + j < columns:
                        out[r, t * tile + j] = (
                            T.exp2((T.cast(x[r, t * tile + j], "float32") - largest[i]) * LOG2_E) * total[i]
                        )

    return softmax_tilelang_wide
