"""
out = gelu(x @ wᵀ + b), with gelu(v) = v / (1 + exp(-2u)) and u = √(2 / π) · (v + 0.044715 v³), which is GELU's tanh
form written with one exponential.

x [m, k], w [n, k], b [n], out [m, n] of one dtype. Products are summed in float32; bias and GELU are applied to
that sum before it is rounded. What a tile reaches beyond a matrix reads as 0 and is not stored.
"""

import cuda.tile as ct
import torch

from gallery.gemm import cutile_ as products
from gallery.gemm.cutile_ import GROUP, ROW_SCHEDULES, gemm, place, row_sums, schedule
from gallery.paths import capability, hinted

# Wider tiles than a product's alone: GELU's arithmetic then leaves the copy engine fewer bytes to fetch beside it.
SCHEDULES = products.SCHEDULES | {
    (90, "tall"): {"tile": (128, 256, 64), "hints": {"occupancy": 1, "num_worker_warps": 8}}
}
CUBIC = 0.044715
EXPONENT = -2.302208198144325  # -2 · √(2 / π) · log2(e): the power is taken of 2


def linear_gelu(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """x [m, k], w [n, k], b [n], float16 or bfloat16 on CUDA, of any strides."""
    (m, k), n = x.shape, w.shape[0]
    if k == 0:
        return torch.nn.functional.gelu(b.expand(m, n), approximate="tanh")
    out = torch.empty(m, n, dtype=x.dtype, device=x.device)
    if m == 0 or n == 0:
        return out
    if m == 1:
        plan = ROW_SCHEDULES[True]
        kernel = hinted(linear_gelu_cutile_row, **plan["hints"])
        arguments = (x, w, b, out, *plan["tile"])
        ct.launch(torch.cuda.current_stream(), (ct.cdiv(n, plan["tile"][0]),), kernel, arguments)
        return out
    plan = schedule(capability(x.device.index), m, SCHEDULES)
    grid = (ct.cdiv(m, plan["tile"][0]) * ct.cdiv(n, plan["tile"][1]),)
    kernel = hinted(linear_gelu_cutile, **plan["hints"])
    ct.launch(torch.cuda.current_stream(), grid, kernel, (x, w, b, out, *plan["tile"], GROUP))
    return out


def unfused(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """
    The same product by this gallery's GEMM, with bias and GELU as kernels of their own, to see what fusion saves.
    """
    return torch.nn.functional.gelu(gemm(x, w.t()) + b, approximate="tanh")


@ct.kernel
def linear_gelu_cutile(
    x,
    w,
    b,
    out,
    tile_m: ct.Constant[int],
    tile_n: ct.Constant[int],
    tile_k: ct.Constant[int],
    group: ct.Constant[int],
):
    row, column = place(ct.cdiv(out.shape[0], tile_m), ct.cdiv(out.shape[1], tile_n), group)
    zero = ct.PaddingMode.ZERO
    # Sums start at the bias, which arrives while the first tiles do.
    bias = ct.astype(ct.load(b, index=(column,), shape=(tile_n,), padding_mode=zero), ct.float32)
    total = ct.broadcast_to(bias.reshape((1, tile_n)), (tile_m, tile_n))
    for step in range(ct.cdiv(x.shape[1], tile_k)):
        x_tile = ct.load(x, index=(row, step), shape=(tile_m, tile_k), padding_mode=zero)
        w_tile = ct.load(w, index=(step, column), shape=(tile_k, tile_n), order=(1, 0), padding_mode=zero)
        total = ct.mma(x_tile, w_tile, total)
    ct.store(out, index=(row, column), tile=ct.astype(gelu(total), out.dtype))


@ct.kernel
def linear_gelu_cutile_row(x, w, b, out, tile_n: ct.Constant[int], tile_k: ct.Constant[int]):
    """x [1, k]."""
    column = ct.bid(0)
    total = row_sums(x, w, tile_n, tile_k, True)
    bias = ct.load(b, index=(column,), shape=(tile_n,), padding_mode=ct.PaddingMode.ZERO, allow_tma=False)
    total = total + ct.astype(bias, ct.float32).reshape((1, tile_n))
    ct.store(out, index=(0, column), tile=ct.astype(gelu(total), out.dtype), allow_tma=False)


def gelu(total):
    """In seven instructions a value; an exact quotient alone would take more. Called in kernels."""
    powers = ct.exp2(total * (total * total * (CUBIC * EXPONENT) + EXPONENT), flush_to_zero=True)
    return ct.truediv(total, 1.0 + powers, rounding_mode=ct.RoundingMode.APPROX, flush_to_zero=True)
