"""
out = a @ b, with a [m, k], b [k, n] and out [m, n] of one dtype, summed in float32. What a tile reaches beyond a matrix
reads as 0 and is not stored.
"""

import cuda.tile as ct
import torch

from gallery.gemm import FLAT
from gallery.paths import capability, hinted

# By the oldest compute capability they are for, newest first, and by the height of the output. `occupancy` is how many
# blocks the compiler plans for on a multiprocessor, `num_worker_warps` how many warps share a tile.
SCHEDULES = {
    # Four warps hold 128 × 128 sums, and a second block hides the first one's waits. 128 × 256 would need eight warps:
    # with four, 656 registers are spilled to memory.
    (90, "tall"): {"tile": (128, 128, 64), "hints": {"occupancy": 2}},
    # Up to 64 rows the product waits for b alone: many tiles fetch it side by side. With 32 columns, the rows of a
    # tile are 64 bytes, and eight rows take 1.6 times as long on an H200.
    (90, "flat"): {"tile": (64, 64, 128), "hints": {"occupancy": 2}},
    # Ampere and Ada: no copy engine.
    (80, "tall"): {"tile": (128, 128, 32), "hints": {"occupancy": 2}},
    (80, "flat"): {"tile": (32, 64, 64), "hints": {"occupancy": 2}},
}
# For one row memory sets the time, and tensor cores are left out. By whether b is transposed: columns of a tile, its
# steps of k, and hints that leave room for some 30 KiB of b on their way to each multiprocessor.
ROW_SCHEDULES = {
    False: {"tile": (64, 128), "hints": {"occupancy": 3, "num_worker_warps": 8}},
    True: {"tile": (16, 256), "hints": {"occupancy": 4, "num_worker_warps": 4}},
}
GROUP = 8  # rows of tiles that are walked column by column, so that the tiles in use stay in the L2 cache


def gemm(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """a [m, k], b [k, n], float16 or bfloat16 on CUDA, of any strides; the transpose of a dense b is loaded as such."""
    (m, k), n = a.shape, b.shape[1]
    if m == 0 or n == 0 or k == 0:
        return torch.zeros(m, n, dtype=a.dtype, device=a.device)
    out = torch.empty(m, n, dtype=a.dtype, device=a.device)
    transposed = not b.is_contiguous() and b.t().is_contiguous()
    if m == 1:
        plan = ROW_SCHEDULES[transposed]
        arguments = (a, b.t() if transposed else b, out, *plan["tile"], transposed)
        grid = (ct.cdiv(n, plan["tile"][0]),)
        ct.launch(torch.cuda.current_stream(), grid, hinted(gemm_cutile_row, **plan["hints"]), arguments)
        return out
    plan = schedule(capability(a.device.index), m)
    grid = (ct.cdiv(m, plan["tile"][0]) * ct.cdiv(n, plan["tile"][1]),)
    kernel = hinted(gemm_cutile, **plan["hints"])
    arguments = (a, b.t() if transposed else b, out, *plan["tile"], GROUP, transposed)
    ct.launch(torch.cuda.current_stream(), grid, kernel, arguments)
    return out


def schedule(capability: int, m: int, schedules: dict = SCHEDULES) -> dict:
    """How a GPU of this compute capability forms an output of m rows."""
    height = "flat" if m <= FLAT else "tall"
    return next(found for (oldest, kind), found in schedules.items() if kind == height and capability >= oldest)


def place(rows, columns, group):
    """Row and column of this block's tile, out of rows × columns tiles; called in kernels."""
    b = ct.bid(0)
    first = b // (group * columns) * group
    height = min(group, rows - first)
    return first + b % (group * columns) % height, b % (group * columns) // height


@ct.kernel
def gemm_cutile(
    a,
    b,
    out,
    tile_m: ct.Constant[int],
    tile_n: ct.Constant[int],
    tile_k: ct.Constant[int],
    group: ct.Constant[int],
    transposed: ct.Constant[bool],
):
    """b is [n, k] if transposed."""
    row, column = place(ct.cdiv(out.shape[0], tile_m), ct.cdiv(out.shape[1], tile_n), group)
    zero = ct.PaddingMode.ZERO
    total = ct.full((tile_m, tile_n), 0.0, dtype=ct.float32)
    for step in range(ct.cdiv(a.shape[1], tile_k)):
        a_tile = ct.load(a, index=(row, step), shape=(tile_m, tile_k), padding_mode=zero)
        if transposed:
            b_tile = ct.load(b, index=(step, column), shape=(tile_k, tile_n), order=(1, 0), padding_mode=zero)
        else:
            b_tile = ct.load(b, index=(step, column), shape=(tile_k, tile_n), padding_mode=zero)
        total = ct.mma(a_tile, b_tile, total)
    ct.store(out, index=(row, column), tile=ct.astype(total, out.dtype))


def row_sums(a, b, tile_n, tile_k, transposed):
    """a [1, k] times this block's columns of b [k, n], or rows of it [n, k] if transposed: [1, tile_n] in float32."""
    column = ct.bid(0)
    zero = ct.PaddingMode.ZERO
    shape = (tile_n, tile_k) if transposed else (tile_k, tile_n)
    total = ct.full(shape, 0.0, dtype=ct.float32)
    for step in range(ct.cdiv(a.shape[1], tile_k)):
        at = (column, step) if transposed else (step, column)
        a_tile = ct.astype(
            ct.load(a, index=(0, step), shape=(1, tile_k), padding_mode=zero, allow_tma=False), ct.float32
        )
        b_tile = ct.astype(ct.load(b, index=at, shape=shape, padding_mode=zero, allow_tma=False), ct.float32)
        total = total + b_tile * a_tile.reshape((1, tile_k) if transposed else (tile_k, 1))
    return ct.sum(total, axis=1 if transposed else 0).reshape((1, tile_n))


@ct.kernel
def gemm_cutile_row(a, b, out, tile_n: ct.Constant[int], tile_k: ct.Constant[int], transposed: ct.Constant[bool]):
    """b is [n, k] if transposed."""
    total = row_sums(a, b, tile_n, tile_k, transposed)
    ct.store(out, index=(0, ct.bid(0)), tile=ct.astype(total, out.dtype), allow_tma=False)
