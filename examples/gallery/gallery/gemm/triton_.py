"""
out = a @ b, with a [m, k], b [k, n] and out [m, n] of one dtype, summed in float32. What a tile reaches beyond a matrix
reads as 0 and is not stored.
"""

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from gallery.gemm import FLAT
from gallery.paths import ALIGNMENT, capability

# By the oldest compute capability they are for, newest first, and by the height of the output.
SCHEDULES = {
    # Two warpgroups with 128 × 128 sums each in registers, three steps of k on their way.
    (90, "tall"): {"TILE_M": 128, "TILE_N": 256, "TILE_K": 64, "num_warps": 8, "num_stages": 3},
    # Up to 64 rows the product waits for b alone: many narrow tiles fetch it side by side.
    (90, "flat"): {"TILE_M": 64, "TILE_N": 64, "TILE_K": 128, "num_warps": 4, "num_stages": 4},
    # Ampere and Ada: 99 KiB of shared memory on the smallest of them.
    (80, "tall"): {"TILE_M": 128, "TILE_N": 128, "TILE_K": 32, "num_warps": 8, "num_stages": 4},
    (80, "flat"): {"TILE_M": 32, "TILE_N": 64, "TILE_K": 64, "num_warps": 4, "num_stages": 4},
}
HOPPER = 90
# For one row memory sets the time, and tensor cores are left out; by whether b is transposed.
ROW_SCHEDULES = {
    False: {"TILE_N": 64, "TILE_K": 64, "STAGES": 4, "num_warps": 4},
    True: {"TILE_N": 16, "TILE_K": 256, "STAGES": 4, "num_warps": 4},
}
GROUP = 8  # rows of tiles that are walked column by column, so that the tiles in use stay in the L2 cache


def gemm(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """a [m, k], b [k, n], float16 or bfloat16 on CUDA, of any strides."""
    (m, k), n = a.shape, b.shape[1]
    if m == 0 or n == 0 or k == 0:
        return torch.zeros(m, n, dtype=a.dtype, device=a.device)
    out = torch.empty(m, n, dtype=a.dtype, device=a.device)
    if m == 1:
        plan = ROW_SCHEDULES[b.stride(0) == 1]
        gemm_triton_row[(triton.cdiv(n, plan["TILE_N"]),)](a, b, out, n, k, a.stride(1), *b.stride(), **plan)
        return out
    plan = schedule(capability(a.device.index), m)
    grid = (triton.cdiv(m, plan["TILE_M"]) * triton.cdiv(n, plan["TILE_N"]),)
    transposed = b.stride(0) == 1
    kept = b.t() if transposed else b
    if capability(a.device.index) >= HOPPER and all(map(copied_by_engine, (a, kept, out))):
        tile_b = ("TILE_N", "TILE_K") if transposed else ("TILE_K", "TILE_N")
        tiles = ((a, ("TILE_M", "TILE_K")), (kept, tile_b), (out, ("TILE_M", "TILE_N")))
        described = [TensorDescriptor.from_tensor(x, [plan[name] for name in names]) for x, names in tiles]
        gemm_triton_tma[grid](*described, m, n, k, transposed, GROUP=GROUP, **plan)
    else:
        gemm_triton[grid](a, b, out, m, n, k, *a.stride(), *b.stride(), GROUP=GROUP, **plan)
    return out


def copied_by_engine(x: torch.Tensor) -> bool:
    """Whether Hopper's copy engine can fetch tiles of a matrix: dense rows that start at multiples of 16 bytes."""
    return x.stride(1) == 1 and x.data_ptr() % ALIGNMENT == 0 and x.stride(0) * x.element_size() % ALIGNMENT == 0


def schedule(capability: int, m: int) -> dict[str, int]:
    """How a GPU of this compute capability forms an output of m rows."""
    height = "flat" if m <= FLAT else "tall"
    return next(found for (oldest, kind), found in SCHEDULES.items() if kind == height and capability >= oldest)


@triton.jit
def place(rows, columns, GROUP: tl.constexpr):
    """Row and column of this program's tile, out of rows × columns tiles."""
    program = tl.program_id(0)
    first = program // (GROUP * columns) * GROUP
    height = min(GROUP, rows - first)
    return first + program % (GROUP * columns) % height, program % (GROUP * columns) // height


@triton.jit
def gemm_triton(
    a,
    b,
    out,
    m,
    n,
    k,
    a_row,
    a_column,
    b_row,
    b_column,
    TILE_M: tl.constexpr,
    TILE_N: tl.constexpr,
    TILE_K: tl.constexpr,
    GROUP: tl.constexpr,
):
    row, column = place(tl.cdiv(m, TILE_M), tl.cdiv(n, TILE_N), GROUP)
    i = row.to(tl.int64) * TILE_M + tl.arange(0, TILE_M)
    j = column.to(tl.int64) * TILE_N + tl.arange(0, TILE_N)
    p = tl.arange(0, TILE_K)
    # Rows and columns outside are read from the start again, which needs no mask; their sums are not stored.
    a_at = a + (i % m)[:, None] * a_row + p[None, :] * a_column
    b_at = b + p[:, None] * b_row + (j % n)[None, :] * b_column
    total = tl.zeros((TILE_M, TILE_N), tl.float32)
    for step in range(tl.cdiv(k, TILE_K)):
        a_tile = tl.load(a_at, (p < k - step * TILE_K)[None, :], other=0.0)
        b_tile = tl.load(b_at, (p < k - step * TILE_K)[:, None], other=0.0)
        total = tl.dot(a_tile, b_tile, total)
        a_at += TILE_K * a_column
        b_at += TILE_K * b_row
    inside = (i < m)[:, None] & (j < n)[None, :]
    tl.store(out + i[:, None] * n + j[None, :], total.to(out.dtype.element_ty), inside)


@triton.jit
def gemm_triton_tma(
    a,
    b,
    out,
    m,
    n,
    k,
    TRANSPOSED: tl.constexpr,
    TILE_M: tl.constexpr,
    TILE_N: tl.constexpr,
    TILE_K: tl.constexpr,
    GROUP: tl.constexpr,
):
    """a, b, out are descriptions of tiles, b of [n, k] if TRANSPOSED; the copy engine reads zeros outside of them."""
    row, column = place(tl.cdiv(m, TILE_M), tl.cdiv(n, TILE_N), GROUP)
    total = tl.zeros((TILE_M, TILE_N), tl.float32)
    for step in range(tl.cdiv(k, TILE_K)):
        a_tile = a.load([row * TILE_M, step * TILE_K])
        b_tile = b.load([column * TILE_N, step * TILE_K] if TRANSPOSED else [step * TILE_K, column * TILE_N])
        total = tl.dot(a_tile, b_tile.T if TRANSPOSED else b_tile, total)
    out.store([row * TILE_M, column * TILE_N], total.to(out.dtype))


@triton.jit
def gemm_triton_row(
    a,
    b,
    out,
    n,
    k,
    a_column,
    b_row,
    b_column,
    TILE_N: tl.constexpr,
    TILE_K: tl.constexpr,
    STAGES: tl.constexpr,
):
    """a [1, k]."""
    j = tl.program_id(0).to(tl.int64) * TILE_N + tl.arange(0, TILE_N)
    p = tl.arange(0, TILE_K)
    total = tl.zeros((TILE_K, TILE_N), tl.float32)
    for step in tl.range(0, tl.cdiv(k, TILE_K), num_stages=STAGES):
        at = step * TILE_K + p
        a_part = tl.load(a + at * a_column, at < k, other=0.0).to(tl.float32)
        inside = (at < k)[:, None] & (j < n)[None, :]
        b_tile = tl.load(b + at.to(tl.int64)[:, None] * b_row + j[None, :] * b_column, inside, other=0.0)
        total += a_part[:, None] * b_tile.to(tl.float32)
    tl.store(out + j, tl.sum(total, 0).to(out.dtype.element_ty), j < n)
