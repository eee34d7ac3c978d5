"""
out = x @ w.

x [m, k], w [k, n], out [m, n], contiguous and of one dtype; products are summed in float32. Nothing need be a multiple
of a tile: what lies outside reads as 0.
"""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1], target="c", execution_backend="cython", compile_flags=["-O3"])
def on_cpu(tile_m: int = 4, tile_n: int = 64, tile_k: int = 32):
    """One kernel for every shape; float32. A row of x is spread over a row of w, so that the inner loop is dense."""
    m, n, k = T.dynamic("m"), T.dynamic("n"), T.dynamic("k")

    @T.prim_func
    def matmul_cpu(
        x: T.Tensor((m, k), "float32"),
        w: T.Tensor((k, n), "float32"),
        out: T.Tensor((m, n), "float32"),
    ):
        with T.Kernel(T.ceildiv(n, tile_n), T.ceildiv(m, tile_m)) as (column, row):
            total = T.alloc_local((tile_m, tile_n), "float32")
            w_row = T.alloc_local((tile_n,), "float32")
            T.clear(total)
            for t in T.serial(T.ceildiv(k, tile_k)):
                for p in T.serial(T.min(tile_k, k - t * tile_k)):
                    for j in T.serial(tile_n):
                        w_row[j] = T.if_then_else(column * tile_n + j < n, w[t * tile_k + p, column * tile_n + j], 0.0)
                    for i in T.serial(T.min(tile_m, m - row * tile_m)):
                        for j in T.serial(tile_n):
                            total[i, j] += x[row * tile_m + i, t * tile_k + p] * w_row[j]
            for i in T.serial(T.min(tile_m, m - row * tile_m)):
                for j in T.serial(T.min(tile_n, n - column * tile_n)):
                    out[row * tile_m + i, column * tile_n + j] = total[i, j]

    return matmul_cpu


@tilelang.jit(out_idx=[-1], target="cuda")
def on_cuda(k: int, n: int, dtype: str, tile_m: int = 128, tile_n: int = 128, tile_k: int = 64):
    """One kernel for every m; float16 or bfloat16."""
    m = T.dynamic("m")

    @T.prim_func
    def matmul_cuda(
        x: T.Tensor((m, k), dtype),
        w: T.Tensor((k, n), dtype),
        out: T.Tensor((m, n), dtype),
    ):
        with T.Kernel(T.ceildiv(n, tile_n), T.ceildiv(m, tile_m), threads=256) as (column, row):
            x_tile = T.alloc_shared((tile_m, tile_k), dtype)
            w_tile = T.alloc_shared((tile_k, tile_n), dtype)
            total = T.alloc_fragment((tile_m, tile_n), "float32")
            T.clear(total)
            for t in T.Pipelined(T.ceildiv(k, tile_k), num_stages=3):
                T.copy(x[row * tile_m, t * tile_k], x_tile)
                T.copy(w[t * tile_k, column * tile_n], w_tile)
                T.gemm(x_tile, w_tile, total)
            T.copy(total, out[row * tile_m, column * tile_n])

    return matmul_cuda
