"""
out[i, j] = sum over blocks p of a_scale[i, p] · b_scale[j // 128, p] · sum over k in p of a[i, k] · b[j, k].

a [m, k], b [n, k] float8_e4m3fn, out [m, n] bfloat16, dense. The tensor cores sum 128 products into float32, with fewer
bits than float32 has; that partial sum is scaled and added to another accumulator in full float32 before they go on.
"""

import tilelang
import tilelang.language as T
import torch

from gallery.paths import capability, dense

BLOCK = 128

# By the oldest compute capability they are for, newest first, and by the height of the output. Two accumulators take
# registers: 64 rows a warpgroup are all that fits.
SCHEDULES = {
    # 192 rows, by three warpgroups, are 2 % faster at 4096 rows, and waste more at heights that they do not divide.
    (90, "tall"): {"tile_m": 128, "tile_n": 128, "stages": 4, "threads": 256},
    (90, "flat"): {"tile_m": 64, "tile_n": 64, "stages": 6, "threads": 128},
    (89, "tall"): {"tile_m": 64, "tile_n": 64, "stages": 2, "threads": 128},
    (89, "flat"): {"tile_m": 32, "tile_n": 32, "stages": 2, "threads": 128},
}
FLAT = 64  # rows of the output


def fp8_gemm(a: torch.Tensor, a_scale: torch.Tensor, b: torch.Tensor, b_scale: torch.Tensor) -> torch.Tensor:
    """
    a [m, k], b [n, k] float8_e4m3fn on CUDA, a_scale [m, ⌈k / 128⌉], b_scale [⌈n / 128⌉, ⌈k / 128⌉] float32.

    Strided a and b are copied first. a_scale is read block by block: hand it over as the transpose of a dense
    [⌈k / 128⌉, m], or it is transposed here.
    """
    (m, k), n = a.shape, b.shape[0]
    if m == 0 or n == 0 or k == 0:
        return torch.zeros(m, n, dtype=torch.bfloat16, device=a.device)
    kernel = on_cuda(k, n, **schedule(capability(a.device.index), m))
    return kernel(dense(a), dense(a_scale.t()), dense(b), dense(b_scale))


def schedule(capability: int, m: int) -> dict[str, int]:
    """How a GPU of this compute capability forms an output of m rows."""
    height = "flat" if m <= FLAT else "tall"
    return next(found for (oldest, kind), found in SCHEDULES.items() if kind == height and capability >= oldest)


@tilelang.jit(out_idx=[-1], target="cuda")
def on_cuda(k: int, n: int, tile_m: int, tile_n: int, stages: int, threads: int):
    """One kernel for every m; a step of k is one block of scales, and tile_n divides 128."""
    m = T.dynamic("m")
    blocks = -(-k // BLOCK)

    @T.prim_func
    def fp8_gemm_tilelang(
        a: T.Tensor((m, k), "float8_e4m3fn"),
        a_scale: T.Tensor((blocks, m), "float32"),
        b: T.Tensor((n, k), "float8_e4m3fn"),
        b_scale: T.Tensor((-(-n // BLOCK), blocks), "float32"),
        out: T.Tensor((m, n), "bfloat16"),
    ):
        with T.Kernel(T.ceildiv(n, tile_n), T.ceildiv(m, tile_m), threads=threads) as (column, row):
            a_tile = T.alloc_shared((tile_m, BLOCK), "float8_e4m3fn")
            b_tile = T.alloc_shared((tile_n, BLOCK), "float8_e4m3fn")
            out_tile = T.alloc_shared((tile_m, tile_n), "bfloat16")
            partial = T.alloc_fragment((tile_m, tile_n), "float32")
            scale = T.alloc_fragment((tile_m,), "float32")
            total = T.alloc_fragment((tile_m, tile_n), "float32")
            T.use_swizzle(panel_size=10)
            T.clear(total)
            for p in T.Pipelined(blocks, num_stages=stages):
                T.copy(a[row * tile_m, p * BLOCK], a_tile)
                T.copy(b[column * tile_n, p * BLOCK], b_tile)
                # In front of the product, so that the scales are on their way while it runs.
                for i in T.Parallel(tile_m):
                    scale[i] = a_scale[p, row * tile_m + i] * b_scale[column * tile_n // BLOCK, p]
                T.gemm(a_tile, b_tile, partial, transpose_B=True, clear_accum=True, policy=T.GemmWarpPolicy.FullRow)
                for i, j in T.Parallel(tile_m, tile_n):
                    total[i, j] += partial[i, j] * scale[i]
            T.copy(total, out_tile)
            T.copy(out_tile, out[row * tile_m, column * tile_n])

    return fp8_gemm_tilelang
