"""
out[r, c] = exp(x[r, c] - m[r]) / sum over c of exp(x[r, c] - m[r]), with m[r] the largest value of row r.

x and out [rows, columns] of one dtype; arithmetic in float32. Columns beyond the row read as -inf and add 0.

Rows are loaded without the copy engine: with it the compiler gives every block a warpgroup that only copies, and 255
registers a thread in place of 31 (2048 columns, sm_90, tileiras 13.4), so that too few blocks run side by side to keep
the memory busy.
"""

import cuda.tile as ct
import torch

from gallery.paths import hinted

LOWEST = -3.4028234663852886e38  # of float32
NEG_INF = ct.PaddingMode.NEG_INF
LOG2_E = 1.4426950408889634
WIDEST_ROW = 8192  # columns that a block of 256 threads holds in registers: 32 values each
TILE_VALUES = 1024  # values of a block on short rows: several rows then share it


def softmax(x: torch.Tensor) -> torch.Tensor:
    """x [rows, columns] of any strides, float32, float16 or bfloat16 on CUDA."""
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    rows, columns = x.shape
    if x.numel() == 0:
        return out
    plan = schedule(columns)
    height, tile = plan["tile"]
    kernel = hinted(softmax_cutile if columns <= tile else softmax_cutile_wide, **plan["hints"])
    arguments = (x, out, height, tile) if columns <= tile else (x, out, tile)
    ct.launch(torch.cuda.current_stream(), (ct.cdiv(rows, height),), kernel, arguments)
    return out


def schedule(columns: int) -> dict:
    """
    Rows and columns of a tile, and how many warps share it: four have 16 values a thread of rows up to 2048. Rows that
    are wider than the widest tile are walked.
    """
    tile = min(WIDEST_ROW, max(16, 1 << (columns - 1).bit_length()))
    return {"tile": (max(1, TILE_VALUES // tile), tile), "hints": {"num_worker_warps": 4 if tile <= 2048 else 8}}


@ct.kernel
def softmax_cutile(x, out, height: ct.Constant[int], tile: ct.Constant[int]):
    """A block takes `height` whole rows."""
    b = ct.bid(0)
    values = ct.load(x, index=(b, 0), shape=(height, tile), padding_mode=NEG_INF, allow_tma=False)
    values = ct.astype(values, ct.float32)
    powers = ct.exp2((values - ct.max(values, axis=1, keepdims=True)) * LOG2_E)
    result = powers * (1.0 / ct.sum(powers, axis=1, keepdims=True))
    ct.store(out, index=(b, 0), tile=ct.astype(result, out.dtype), allow_tma=False)


@ct.kernel
def softmax_cutile_wide(x, out, tile: ct.Constant[int]):
    """
    For rows that no block can hold: one pass for maximum and sum, tile by tile, and one to write.

    The maximum starts at the lowest finite number: a tile of -inf then adds 0, where -inf - -inf would add NaN.
    """
    r = ct.bid(0)
    tiles = ct.cdiv(x.shape[1], tile)
    largest = ct.full((1, 1), LOWEST, dtype=ct.float32)
    total = ct.full((1, 1), 0.0, dtype=ct.float32)
    for t in range(tiles):
        values = ct.load(x, index=(r, t), shape=(1, tile), padding_mode=NEG_INF, allow_tma=False)
        values = ct.astype(values, ct.float32)
        before = largest
        largest = ct.maximum(largest, ct.max(values, axis=1, keepdims=True))
        added = ct.sum(ct.exp2((values - largest) * LOG2_E), axis=1, keepdims=True)
        total = total * ct.exp2((before - largest) * LOG2_E) + added
    share = 1.0 / total
    for t in range(tiles):
        values = ct.load(x, index=(r, t), shape=(1, tile), padding_mode=NEG_INF, allow_tma=False)
        result = ct.exp2((ct.astype(values, ct.float32) - largest) * LOG2_E) * share
        ct.store(out, index=(r, t), tile=ct.astype(result, out.dtype), allow_tma=False)
