"""
out = softmax(q @ kᵀ / √depth) @ v per head, without the matrix of scores in memory: a block keeps its queries'
running maximum, sum and result while it walks over the keys, tile by tile.

q, out [batch, heads, queries, depth], k, v [batch, groups, keys, depth] of one dtype, float16 or bfloat16; scores,
sums and results in float32, the weights of v rounded to the dtype. Keys beyond the last read as 0 and are masked
out.
"""

import cuda.tile as ct
import torch

from gallery.paths import capability, hinted

LOWEST = -3.4028234663852886e38  # of float32
LOG2_E = 1.4426950408889634

# By the oldest compute capability they are for, newest first, and by the depth of a head: queries and keys of a tile,
# and for how many blocks on a multiprocessor the compiler plans.
SCHEDULES = {
    # One warpgroup with 64 queries, and other blocks beside it that keep the tensor cores busy meanwhile.
    (90, 128): {"tile": (64, 128), "hints": {"occupancy": 2}},
    (90, 64): {"tile": (64, 64), "hints": {"occupancy": 4}},
    (80, 128): {"tile": (64, 64), "hints": {"occupancy": 1}},
    (80, 64): {"tile": (64, 64), "hints": {"occupancy": 1}},
}


def attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None, causal: bool
) -> torch.Tensor:
    """On CUDA; depth 64 or 128, any strides. The result is dense."""
    if q.numel() == 0 or k.numel() == 0:
        return torch.zeros(q.shape, dtype=q.dtype, device=q.device)
    out = torch.empty(q.shape, dtype=q.dtype, device=q.device)
    batch, heads, queries, depth = q.shape
    plan = schedule(capability(q.device.index), depth)
    # Without a mask the kernel never reads that argument, but it has to be an array.
    seen = torch.empty(batch, 1, dtype=torch.uint8, device=q.device) if mask is None else mask.view(torch.uint8)
    arguments = (q, k, v, seen, out, heads // k.shape[1], depth, *plan["tile"], causal, mask is not None)
    grid = (heads, ct.cdiv(queries, plan["tile"][0]), batch)
    kernel = hinted(attention_cutile, **plan["hints"])
    ct.launch(torch.cuda.current_stream(), grid, kernel, arguments)
    return out


def schedule(capability: int, depth: int) -> dict:
    return next(found for (oldest, of), found in SCHEDULES.items() if of == depth and capability >= oldest)


@ct.kernel
def attention_cutile(
    q,
    k,
    v,
    mask,
    out,
    group: ct.Constant[int],
    depth: ct.Constant[int],
    tile_m: ct.Constant[int],
    tile_n: ct.Constant[int],
    causal: ct.Constant[bool],
    masked: ct.Constant[bool],
):
    """
    `group`: heads of q that share a head of k and v; mask [batch, keys] is 1 where a key takes part.

    The longest rows of blocks, those of the last queries, start first. Only tiles that cross the diagonal or the
    last key look at single scores. The running maximum starts at the lowest finite number: a tile that is masked
    out whole then adds 0, where -inf - -inf would add NaN.

    Over 40 lines, since a kernel is traced as one function.
    """
    head, b = ct.bid(0), ct.bid(2)
    block = ct.num_blocks(1) - 1 - ct.bid(1)
    keys = k.shape[2]
    scale = depth**-0.5 * LOG2_E
    zero = ct.PaddingMode.ZERO
    i = block * tile_m + ct.arange(tile_m, dtype=ct.int32)[:, None]

    q_tile = ct.load(q, index=(b, head, block, 0), shape=(1, 1, tile_m, depth), padding_mode=zero)
    q_tile = q_tile.reshape((tile_m, depth))
    largest = ct.full((tile_m, 1), LOWEST, dtype=ct.float32)
    share = ct.full((tile_m, 1), 0.0, dtype=ct.float32)
    total = ct.full((tile_m, depth), 0.0, dtype=ct.float32)

    end = min(keys, (block + 1) * tile_m) if causal else keys
    clear = min(keys, block * tile_m + 1) if causal else keys
    for t in range(ct.cdiv(end, tile_n)):
        k_tile = ct.load(
            k,
            index=(b, head // group, 0, t),
            shape=(1, 1, depth, tile_n),
            order=(0, 1, 3, 2),
            padding_mode=zero,
            latency=2,
        )
        scores = ct.mma(q_tile, k_tile.reshape((depth, tile_n)), ct.full((tile_m, tile_n), 0.0, dtype=ct.float32))
        if masked or (t + 1) * tile_n > clear:
            j = t * tile_n + ct.arange(tile_n, dtype=ct.int32)[None, :]
            seen = j < keys
            if causal:
                seen = seen & (j <= i)
            if masked:
                known = ct.load(mask, index=(b, t), shape=(1, tile_n), padding_mode=zero)
                seen = seen & (known != 0)
            scores = ct.where(seen, scores, -float("inf"))
        before = largest
        largest = ct.maximum(largest, ct.max(scores, axis=1, keepdims=True))
        powers = ct.exp2(scores * scale - largest * scale, flush_to_zero=True)
        shrink = ct.exp2((before - largest) * scale, flush_to_zero=True)
        share = share * shrink + ct.sum(powers, axis=1, keepdims=True)
        v_tile = ct.load(v, index=(b, head // group, t, 0), shape=(1, 1, tile_n, depth), padding_mode=zero, latency=4)
        total = ct.mma(ct.astype(powers, q.dtype), v_tile.reshape((tile_n, depth)), total * shrink)

    result = ct.where(share > 0.0, total / ct.where(share > 0.0, share, 1.0), 0.0)
    ct.store(out, index=(b, head, block, 0), tile=ct.astype(result, out.dtype).reshape((1, 1, tile_m, depth)))
