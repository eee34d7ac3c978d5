"""
out = gelu(x @ w + b), with gelu(v) = v / 2 * (1 + erf(v / √2)).

x [m, k], w [k, n], b [n], out [m, n], contiguous and of one dtype; products are summed in float32, and bias and gelu
are applied to that sum before it is rounded. Nothing need be a multiple of a tile: what lies outside reads as 0.
"""

import tilelang
import tilelang.language as T

SQRT_HALF = 0.7071067811865476


@tilelang.jit(out_idx=[-1], target="c", execution_backend="cython", compile_flags=["-O3"])
def on_cpu(tile_m: int = 4, tile_n: int = 64):
    """One kernel for every shape; float32. A row of x is spread over a row of w, so that the inner loop is dense."""
    m, n, k = T.dynamic("m"), T.dynamic("n"), T.dynamic("k")

    @T.prim_func
    def linear_gelu_cpu(
        x: T.Tensor((m, k), "float32"),
        w: T.Tensor((k, n), "float32"),
        b: T.Tensor((n,), "float32"),
        out: T.Tensor((m, n), "float32"),
    ):
        with T.Kernel(T.ceildiv(n, tile_n), T.ceildiv(m, tile_m)) as (column, row):
            total = T.alloc_local((tile_m, tile_n), "float32")
            w_row = T.alloc_local((tile_n,), "float32")
            T.clear(total)
            for p in T.serial(k):
                for j in T.serial(tile_n):
                    w_row[j] = T.if_then_else(column * tile_n + j < n, w[p, column * tile_n + j], 0.0)
                for i in T.serial(T.min(tile_m, m - row * tile_m)):
                    for j in T.serial(tile_n):
                        total[i, j] += x[row * tile_m + i, p] * w_row[j]
            for i in T.serial(T.min(tile_m, m - row * tile_m)):
                for j in T.serial(T.min(tile_n, n - column * tile_n)):
                    total[i, j] += b[column * tile_n + j]
                    out[row * tile_m + i, column * tile_n + j] = (
                        total[i, j] * 0.5 * (1.0 + T.erf(total[i, j] * SQRT_HALF))
                    )

    return linear_gelu_cpu


def tiles(m: int) -> dict[str, int]:
    """A schedule for CUDA: up to 64 rows the layer waits for w alone, and many narrow tiles fetch it side by side."""
    if m <= 64:
        return {"tile_m": 64, "tile_n": 64, "tile_k": 64, "stages": 4, "threads": 128}
    return {"tile_m": 128, "tile_n": 256, "tile_k": 64, "stages": 3, "threads": 256}


@tilelang.jit(out_idx=[-1], target="cuda")
def on_cuda(k: int, n: int, dtype: str, tile_m: int, tile_n: int, tile_k: int, stages: int, threads: int):
    """One kernel for every m, as tokens come and go while a layer's weights stay. dtype float16 or bfloat16."""
    m = T.dynamic("m")

    @T.prim_func
    def linear_gelu_cuda(
        x: T.Tensor((m, k), dtype),
        w: T.Tensor((k, n), dtype),
        b: T.Tensor((n,), dtype),
        out: T.Tensor((m, n), dtype),
    ):
        with T.Kernel(T.ceildiv(n, tile_n), T.ceildiv(m, tile_m), threads=threads) as (column, row):
            x_tile = T.alloc_shared((tile_m, tile_k), dtype)
            w_tile = T.alloc_shared((tile_k, tile_n), dtype)
            out_tile = T.alloc_shared((tile_m, tile_n), dtype)
            bias = T.alloc_fragment((tile_n,), dtype)
            total = T.alloc_fragment((tile_m, tile_n), "float32")
            T.use_swizzle(panel_size=8)
            T.clear(total)
            for p in T.Pipelined(T.ceildiv(k, tile_k), num_stages=stages):
                T.copy(x[row * tile_m, p * tile_k], x_tile)
                T.copy(w[p * tile_k, column * tile_n], w_tile)
                T.gemm(x_tile, w_tile, total)
            T.copy(b[column * tile_n], bias)
            for i, j in T.Parallel(tile_m, tile_n):
                total[i, j] += bias[j]
                total[i, j] = total[i, j] * 0.5 * (1.0 + T.erf(total[i, j] * SQRT_HALF))
            T.copy(total, out_tile)
            T.copy(out_tile, out[row * tile_m, column * tile_n])

    return linear_gelu_cuda
