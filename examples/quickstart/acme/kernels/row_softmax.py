"""
out[r, c] = exp(x[r, c] - m[r]) / sum over c of exp(x[r, c] - m[r]), with m[r] the largest value of row r.

x and out [rows, columns], contiguous, of one dtype; arithmetic in float32. The running maximum starts at the lowest
finite number, not at -inf: a tile that is masked out whole then adds 0, where -inf - -inf would add NaN. A row that is
-inf throughout gives NaN, as in torch.
"""

import tilelang
import tilelang.language as T

LOWEST = -3.4028234663852886e38  # of float32
LOG2_E = 1.4426950408889634


@tilelang.jit(out_idx=[-1], target="c", execution_backend="cython", compile_flags=["-O3"])
def on_cpu(tile: int = 256):
    """
    One kernel for every shape; float32. Three passes over a row: maximum, exponentials with their sum, division.

    The sum is one of tiles' sums: one by one, 50,000 small terms would lose their last bits to a large total.
    """
    rows, columns = T.dynamic("rows"), T.dynamic("columns")

    @T.prim_func
    def row_softmax_cpu(
        x: T.Tensor((rows, columns), "float32"),
        out: T.Tensor((rows, columns), "float32"),
    ):
        with T.Kernel(rows) as r:
            largest = T.alloc_local((1,), "float32")
            total = T.alloc_local((1,), "float32")
            part = T.alloc_local((1,), "float32")
            largest[0] = LOWEST
            for c in T.serial(columns):
                largest[0] = T.max(largest[0], x[r, c])
            total[0] = 0.0
            for t in T.serial(T.ceildiv(columns, tile)):
                part[0] = 0.0
                for c in T.serial(T.min(tile, columns - t * tile)):
                    out[r, t * tile + c] = T.exp(x[r, t * tile + c] - largest[0])
                    part[0] += out[r, t * tile + c]
                total[0] += part[0]
            for c in T.serial(columns):
                out[r, c] = out[r, c] / total[0]

    return row_softmax_cpu


@tilelang.jit(out_idx=[-1], target="cuda")
def on_cuda(columns: int, dtype: str):
    """
    One kernel for every number of rows; float16 or bfloat16. A block takes one row, a tile of it at a time.

    A first pass keeps maximum and sum up to date from tile to tile; a second one reads the row again, most of it from
    cache, and writes.

    Over 40 lines, since a kernel is traced as one function.
    """
    rows = T.dynamic("rows")
    tile = min(8192, max(512, 1 << (columns - 1).bit_length()))
    threads = tile // 16  # two loads of 16 bytes each

    @T.prim_func
    def row_softmax_cuda(
        x: T.Tensor((rows, columns), dtype),
        out: T.Tensor((rows, columns), dtype),
    ):
        with T.Kernel(rows, threads=threads) as r:
            values = T.alloc_fragment((1, tile), "float32")
            powers = T.alloc_fragment((1, tile), "float32")
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
                    powers[i, j] = T.exp2((values[i, j] - largest[i]) * LOG2_E)
                T.reduce_sum(powers, added, dim=1)
                for i in T.Parallel(1):
                    total[i] = total[i] * T.exp2((before[i] - largest[i]) * LOG2_E) + added[i]
            for t in T.serial(T.ceildiv(columns, tile)):
                for i, j in T.Parallel(1, tile):
                    if t * tile + j < columns:
                        out[r, t * tile + j] = T.exp2((x[r, t * tile + j] - largest[i]) * LOG2_E) / total[i]

    return row_softmax_cuda
