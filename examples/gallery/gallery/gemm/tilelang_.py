"""
out = a @ b, with a [m, k], b [k, n] or its transpose [n, k], out [m, n], dense and of one dtype, summed in float32.

Nothing need be a multiple of a tile: what lies outside reads as 0 and is not stored. Rows that are a multiple of 16
bytes are fetched by the copy engine on Hopper, by a warpgroup of its own; others by ordinary loads.
"""

import tilelang
import tilelang.language as T
import torch

from gallery.gemm import FLAT, tilelang_few
from gallery.paths import capability, dense, dtype_name

# By the oldest compute capability they are for, newest first, and by the height of the output. `split` is how warps
# share a tile: each takes whole rows of it, or a square part.
SCHEDULES = {
    # Two warpgroups with 64 × 256 sums each in registers, the widest product that one instruction forms, and four steps
    # of k in 192 of 227 KiB of shared memory. One block per multiprocessor that walks over the tiles is slower on an
    # H200, 0.91 of cuBLAS where this is 0.97.
    (90, "tall"): {"tile_m": 128, "tile_n": 256, "tile_k": 64, "stages": 4, "threads": 256, "split": "rows"},
    # Up to 64 rows the product waits for b alone: six steps of it are on their way to each block. With 32 or 64 columns
    # a tile, eight rows take up to twice as long on an H200.
    (90, "flat"): {"tile_m": 64, "tile_n": 128, "tile_k": 64, "stages": 6, "threads": 128, "split": "rows"},
    # Ampere and Ada: no copy engine, 99 KiB of shared memory on the smallest of them.
    (80, "tall"): {"tile_m": 128, "tile_n": 128, "tile_k": 32, "stages": 4, "threads": 256, "split": "square"},
    (80, "flat"): {"tile_m": 32, "tile_n": 64, "tile_k": 64, "stages": 4, "threads": 128, "split": "square"},
}
POLICIES = {"rows": T.GemmWarpPolicy.FullRow, "square": T.GemmWarpPolicy.Square}


def gemm(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """
    a [m, k], b [k, n], float32 on the CPU, float16 or bfloat16 on CUDA.

    A b that is the transpose of a dense matrix is read where it is; other strides are copied first.
    """
    (m, k), n = a.shape, b.shape[1]
    if m == 0 or n == 0 or k == 0:
        return torch.zeros(m, n, dtype=a.dtype, device=a.device)
    transposed = not b.is_contiguous() and b.t().is_contiguous()
    a, b = dense(a), dense(b.t() if transposed else b)
    if not a.is_cuda:
        return on_cpu(transposed)(a, b)
    if tilelang_few.fits(m, k, n):
        few = tilelang_few.on_cuda_transposed if transposed else tilelang_few.on_cuda
        return few(m, k, n, dtype_name(a))(a, b)
    return on_cuda(k, n, dtype_name(a), transposed, **schedule(capability(a.device.index), m))(a, b)


def schedule(capability: int, m: int) -> dict:
    """How a GPU of this compute capability forms an output of m rows."""
    height = "flat" if m <= FLAT else "tall"
    return next(found for (oldest, kind), found in SCHEDULES.items() if kind == height and capability >= oldest)


@tilelang.jit(out_idx=[-1], target="c", execution_backend="cython", compile_flags=["-O3"])
def on_cpu(transposed: bool, tile_m: int = 32, tile_n: int = 64, tile_k: int = 64):
    """
    One kernel for every shape. A tile of b is packed row by row, with zeros outside, and then used for 32 rows of
    a: the inner loop is dense and of known length, which the C compiler turns into vector instructions.
    """
    m, n, k = T.dynamic("m"), T.dynamic("n"), T.dynamic("k")
    shape = (n, k) if transposed else (k, n)

    @T.prim_func
    def gemm_cpu(
        a: T.Tensor((m, k), "float32"),
        b: T.Tensor(shape, "float32"),
        out: T.Tensor((m, n), "float32"),
    ):
        with T.Kernel(T.ceildiv(n, tile_n), T.ceildiv(m, tile_m)) as (column, row):
            total = T.alloc_local((tile_m, tile_n), "float32")
            packed = T.alloc_local((tile_k, tile_n), "float32")
            T.clear(total)
            for step in T.serial(T.ceildiv(k, tile_k)):
                for p in T.serial(tile_k):
                    for j in T.serial(tile_n):
                        if step * tile_k + p < k and column * tile_n + j < n:
                            if transposed:
                                packed[p, j] = b[column * tile_n + j, step * tile_k + p]
                            else:
                                packed[p, j] = b[step * tile_k + p, column * tile_n + j]
                        else:
                            packed[p, j] = 0.0
                for i in T.serial(T.min(tile_m, m - row * tile_m)):
                    for p in T.serial(T.min(tile_k, k - step * tile_k)):
                        for j in T.serial(tile_n):
                            total[i, j] += a[row * tile_m + i, step * tile_k + p] * packed[p, j]
            for i in T.serial(T.min(tile_m, m - row * tile_m)):
                for j in T.serial(T.min(tile_n, n - column * tile_n)):
                    out[row * tile_m + i, column * tile_n + j] = total[i, j]

    return gemm_cpu


@tilelang.jit(out_idx=[-1], target="cuda")
def on_cuda(
    k: int,
    n: int,
    dtype: str,
    transposed: bool,
    tile_m: int,
    tile_n: int,
    tile_k: int,
    stages: int,
    threads: int,
    split: str,
):
    """
    One kernel for every m, as tokens come and go while a layer's weights stay; dtype float16 or bfloat16.

    Ten rows of tiles at a time are walked column by column, so that the tiles of a and b in use stay in the L2 cache.

    Over 40 lines, since a kernel is traced as one function.
    """
    m = T.dynamic("m")
    shape, tile = ((n, k), (tile_n, tile_k)) if transposed else ((k, n), (tile_k, tile_n))

    @T.prim_func
    def gemm_tilelang(
        a: T.Tensor((m, k), dtype),
        b: T.Tensor(shape, dtype),
        out: T.Tensor((m, n), dtype),
    ):
        with T.Kernel(T.ceildiv(n, tile_n), T.ceildiv(m, tile_m), threads=threads) as (column, row):
            a_tile = T.alloc_shared((tile_m, tile_k), dtype)
            b_tile = T.alloc_shared(tile, dtype)
            out_tile = T.alloc_shared((tile_m, tile_n), dtype)
            total = T.alloc_fragment((tile_m, tile_n), "float32")
            T.use_swizzle(panel_size=10)
            T.clear(total)
            for step in T.Pipelined(T.ceildiv(k, tile_k), num_stages=stages):
                T.copy(a[row * tile_m, step * tile_k], a_tile)
                if transposed:
                    T.copy(b[column * tile_n, step * tile_k], b_tile)
                else:
                    T.copy(b[step * tile_k, column * tile_n], b_tile)
                T.gemm(a_tile, b_tile, total, transpose_B=transposed, policy=POLICIES[split])
            T.copy(total, out_tile)
            T.copy(out_tile, out[row * tile_m, column * tile_n])

    return gemm_tilelang
