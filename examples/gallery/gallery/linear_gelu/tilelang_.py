"""
out = gelu(x @ wᵀ + b), with gelu(v) = v / (1 + exp(-2u)) and u = √(2 / π) · (v + 0.044715 v³), which is GELU's tanh
form written with one exponential.

x [m, k], w [n, k], b [n], out [m, n], dense and of one dtype. Products are summed in float32; bias and GELU are
applied to that sum in registers, before it is rounded. Nothing need be a multiple of a tile: what lies outside
reads as 0.
"""

import tilelang
import tilelang.language as T
import torch

from gallery.gemm import tilelang_few
from gallery.gemm.tilelang_ import POLICIES, gemm, schedule
from gallery.paths import capability, dense, dtype_name

CUBIC = 0.044715
EXPONENT = -2.302208198144325  # -2 · √(2 / π) · log2(e): the power is taken of 2


def linear_gelu(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """x [m, k], w [n, k], b [n], float32 on the CPU, float16 or bfloat16 on CUDA; strided ones are copied first."""
    (m, k), n = x.shape, w.shape[0]
    if m == 0 or n == 0:
        return torch.empty(m, n, dtype=x.dtype, device=x.device)
    if k == 0:
        return torch.nn.functional.gelu(b.expand(m, n), approximate="tanh")
    if not x.is_cuda:
        return on_cpu()(dense(x), dense(w), dense(b))
    if tilelang_few.fits(m, k, n):
        return on_cuda_few(m, k, n, dtype_name(x))(dense(x), dense(w), dense(b))
    kernel = on_cuda(k, n, dtype_name(x), **schedule(capability(x.device.index), m))
    return kernel(dense(x), dense(w), dense(b))


def unfused(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """
    The same product by this gallery's GEMM, with bias and GELU as kernels of their own, to see what fusion saves.
    """
    return torch.nn.functional.gelu(gemm(x, w.t()) + b, approximate="tanh")


@T.macro
def apply_gelu(total, i, j):
    """Replaces the sum at [i, j] by its GELU, in seven instructions on a GPU: one power and one reciprocal of them."""
    total[i, j] = total[i, j] / (
        1.0 + T.exp2(total[i, j] * (total[i, j] * total[i, j] * (CUBIC * EXPONENT) + EXPONENT))
    )


@tilelang.jit(out_idx=[-1], target="c", execution_backend="cython", compile_flags=["-O3"])
def on_cpu(tile_m: int = 32, tile_n: int = 64, tile_k: int = 64):
    """One kernel for every shape. A tile of w is packed and used for 32 rows of x, as in gallery.gemm."""
    m, n, k = T.dynamic("m"), T.dynamic("n"), T.dynamic("k")

    @T.prim_func
    def linear_gelu_cpu(
        x: T.Tensor((m, k), "float32"),
        w: T.Tensor((n, k), "float32"),
        b: T.Tensor((n,), "float32"),
        out: T.Tensor((m, n), "float32"),
    ):
        with T.Kernel(T.ceildiv(n, tile_n), T.ceildiv(m, tile_m)) as (column, row):
            total = T.alloc_local((tile_m, tile_n), "float32")
            packed = T.alloc_local((tile_k, tile_n), "float32")
            bias = T.alloc_local((tile_n,), "float32")
            T.clear(total)
            for j in T.serial(tile_n):
                bias[j] = T.if_then_else(column * tile_n + j < n, b[column * tile_n + j], 0.0)
            for step in T.serial(T.ceildiv(k, tile_k)):
                for p in T.serial(tile_k):
                    for j in T.serial(tile_n):
                        packed[p, j] = T.if_then_else(
                            step * tile_k + p < k and column * tile_n + j < n,
                            w[column * tile_n + j, step * tile_k + p],
                            0.0,
                        )
                for i in T.serial(T.min(tile_m, m - row * tile_m)):
                    for p in T.serial(T.min(tile_k, k - step * tile_k)):
                        for j in T.serial(tile_n):
                            total[i, j] += x[row * tile_m + i, step * tile_k + p] * packed[p, j]
            for i in T.serial(T.min(tile_m, m - row * tile_m)):
                for j in T.serial(T.min(tile_n, n - column * tile_n)):
                    total[i, j] += bias[j]
                    apply_gelu(total, i, j)
                    out[row * tile_m + i, column * tile_n + j] = total[i, j]

    return linear_gelu_cpu


# Fast powers and quotients: the compiler's exact division alone would take as many instructions as all the rest.
@tilelang.jit(out_idx=[-1], target="cuda", pass_configs={tilelang.PassConfigKey.TL_ENABLE_FAST_MATH: True})
def on_cuda(k: int, n: int, dtype: str, tile_m: int, tile_n: int, tile_k: int, stages: int, threads: int, split: str):
    """One kernel for every m, with the schedule of gallery.gemm; dtype float16 or bfloat16. Sums start at the bias."""
    m = T.dynamic("m")

    @T.prim_func
    def linear_gelu_tilelang(
        x: T.Tensor((m, k), dtype),
        w: T.Tensor((n, k), dtype),
        b: T.Tensor((n,), dtype),
        out: T.Tensor((m, n), dtype),
    ):
        with T.Kernel(T.ceildiv(n, tile_n), T.ceildiv(m, tile_m), threads=threads) as (column, row):
            x_tile = T.alloc_shared((tile_m, tile_k), dtype)
            w_tile = T.alloc_shared((tile_n, tile_k), dtype)
            out_tile = T.alloc_shared((tile_m, tile_n), dtype)
            total = T.alloc_fragment((tile_m, tile_n), "float32")
            T.use_swizzle(panel_size=10)
            for i, j in T.Parallel(tile_m, tile_n):
                total[i, j] = T.cast(b[column * tile_n + j], "float32")
            for step in T.Pipelined(T.ceildiv(k, tile_k), num_stages=stages):
                T.copy(x[row * tile_m, step * tile_k], x_tile)
                T.copy(w[column * tile_n, step * tile_k], w_tile)
                T.gemm(x_tile, w_tile, total, transpose_B=True, policy=POLICIES[split])
            for i, j in T.Parallel(tile_m, tile_n):
                apply_gelu(total, i, j)
            T.copy(total, out_tile)
            T.copy(out_tile, out[row * tile_m, column * tile_n])

    return linear_gelu_tilelang


@tilelang.jit(out_idx=[-1], target="cuda", pass_configs={tilelang.PassConfigKey.TL_ENABLE_FAST_MATH: True})
def on_cuda_few(m: int, k: int, n: int, dtype: str):
    """For a few rows of x, as gallery.gemm.tilelang_few does it: a warp takes four rows of w."""
    lanes, warps, columns = tilelang_few.LANES, tilelang_few.WARPS, tilelang_few.COLUMNS

    @T.prim_func
    def linear_gelu_tilelang_few(
        x: T.Tensor((m, k), dtype),
        w: T.Tensor((n, k), dtype),
        b: T.Tensor((n,), dtype),
        out: T.Tensor((m, n), dtype),
    ):
        with T.Kernel(-(-n // (warps * columns)), threads=warps * lanes) as block:
            total = T.alloc_local((m, columns), "float32")
            first = (block * warps + T.get_thread_binding() // lanes) * columns
            if first < n:
                tilelang_few.dot(total, x, w, first, m, k, dtype)
                if T.get_thread_binding() % lanes == 0:
                    for i, j in T.grid(m, columns):
                        total[i, j] += T.cast(b[first + j], "float32")
                        apply_gelu(total, i, j)
                        out[i, first + j] = total[i, j]

    return linear_gelu_tilelang_few
