"""
out = softmax(q @ kᵀ / √depth) @ v per head, without the matrix of scores in memory: a block keeps its queries'
running maximum, sum and result while it walks over the keys, tile by tile.

q, out [batch, heads, queries, depth], k, v [batch, groups, keys, depth] of one dtype, float16 or bfloat16; scores,
sums and results in float32, the weights of v rounded to the dtype. Keys beyond the last read as 0 and are masked
out.
"""

import tilelang
import tilelang.language as T
import torch

from gallery.paths import capability, dtype_name, rows_apart

LOWEST = -3.4028234663852886e38  # of float32
LOG2_E = 1.4426950408889634

# By the oldest compute capability they are for, newest first.
SCHEDULES = {
    # Two warpgroups with 64 queries each: while one computes powers, the other keeps the tensor cores busy. A second
    # stage of keys and values makes it 1 to 5 % slower on an H200.
    90: {"tile_m": 128, "tile_n": 128, "stages": 1, "threads": 256},
    # Ampere and Ada: 99 KiB of shared memory on the smallest of them.
    80: {"tile_m": 64, "tile_n": 64, "stages": 1, "threads": 128},
}


def attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None, causal: bool
) -> torch.Tensor:
    """
    On CUDA; depth 64 or 128. Strides that are multiples of 16 bytes, as those of [batch, queries, heads, depth]
    with two dimensions swapped, are read where they are; others are copied first. The result is dense.
    """
    if q.numel() == 0 or k.numel() == 0:
        return torch.zeros(q.shape, dtype=q.dtype, device=q.device)
    groups = q.shape[1] // k.shape[1]
    plan = schedule(capability(q.device.index))
    kernel = on_cuda(q.shape[1], groups, q.shape[3], dtype_name(q), causal, mask is not None, **plan)
    tensors = [rows_apart(x) for x in (q, k, v)]
    return kernel(*tensors) if mask is None else kernel(*tensors, mask.contiguous().view(torch.uint8))


def schedule(capability: int) -> dict[str, int]:
    return next(found for oldest, found in SCHEDULES.items() if capability >= oldest)


# out_idx is no list here: TileLang counts the -1 in a list from the front, in place, when it compiles the first kernel,
# and the masked one has an argument more.
@tilelang.jit(out_idx=-1, target="cuda", pass_configs={tilelang.PassConfigKey.TL_ENABLE_FAST_MATH: True})
def on_cuda(
    heads: int,
    group: int,
    depth: int,
    dtype: str,
    causal: bool,
    masked: bool,
    tile_m: int,
    tile_n: int,
    stages: int,
    threads: int,
):
    """
    One kernel for every batch, number of queries and of keys. `group`: heads of q that share a head of k and v.

    The longest rows of blocks, those of the last queries, start first, so that short ones fill the gaps at the end.
    Only tiles that cross the diagonal or the last key look at single scores. The running maximum starts at the
    lowest finite number: a tile that is masked out whole then adds 0, where -inf - -inf would add NaN. Powers are
    the GPU's own of 2, which flush subnormal weights to 0.

    Over 40 lines, since a kernel is traced as one function.
    """
    batch, queries, keys = T.dynamic("batch"), T.dynamic("queries"), T.dynamic("keys")
    q_strides = (T.dynamic("q_batch"), T.dynamic("q_head"), T.dynamic("q_row"), 1)
    k_strides = (T.dynamic("k_batch"), T.dynamic("k_head"), T.dynamic("k_row"), 1)
    v_strides = (T.dynamic("v_batch"), T.dynamic("v_head"), T.dynamic("v_row"), 1)
    scale = depth**-0.5 * LOG2_E

    @T.macro
    def attend(q, k, v, mask, out, block, head, b):  # as long as one block's work: it is traced as one function
        q_tile = T.alloc_shared((tile_m, depth), dtype)
        k_tile = T.alloc_shared((tile_n, depth), dtype)
        v_tile = T.alloc_shared((tile_n, depth), dtype)
        out_tile = T.alloc_shared((tile_m, depth), dtype)
        scores = T.alloc_fragment((tile_m, tile_n), "float32")
        weights = T.alloc_fragment((tile_m, tile_n), dtype)
        total = T.alloc_fragment((tile_m, depth), "float32")
        largest = T.alloc_fragment((tile_m,), "float32")
        before = T.alloc_fragment((tile_m,), "float32")
        shrink = T.alloc_fragment((tile_m,), "float32")
        added = T.alloc_fragment((tile_m,), "float32")
        share = T.alloc_fragment((tile_m,), "float32")
        first = block * tile_m
        T.copy(q[b, head, first, 0], q_tile)
        T.clear(total)
        T.clear(share)
        T.fill(largest, LOWEST)
        tiles = T.ceildiv(T.min(keys, first + tile_m) if causal else keys, tile_n)
        for t in T.Pipelined(tiles, num_stages=stages):
            T.copy(k[b, head // group, t * tile_n, 0], k_tile)
            if masked:
                for i, j in T.Parallel(tile_m, tile_n):
                    scores[i, j] = T.if_then_else(
                        (t * tile_n + j < keys)
                        & ((not causal) | (t * tile_n + j <= first + i))
                        & (mask[b, T.min(t * tile_n + j, keys - 1)] != 0),
                        0.0,
                        -T.infinity("float32"),
                    )
            else:
                if (t + 1) * tile_n <= (T.min(keys, first + 1) if causal else keys):
                    T.clear(scores)
                else:
                    for i, j in T.Parallel(tile_m, tile_n):
                        scores[i, j] = T.if_then_else(
                            (t * tile_n + j < keys) & ((not causal) | (t * tile_n + j <= first + i)),
                            0.0,
                            -T.infinity("float32"),
                        )
            T.gemm(q_tile, k_tile, scores, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
            T.copy(largest, before)
            T.reduce_max(scores, largest, dim=1, clear=False)
            for i in T.Parallel(tile_m):
                shrink[i] = T.exp2((before[i] - largest[i]) * scale)
            for i, j in T.Parallel(tile_m, tile_n):
                scores[i, j] = T.exp2(scores[i, j] * scale - largest[i] * scale)
            T.reduce_sum(scores, added, dim=1)
            for i in T.Parallel(tile_m):
                share[i] = share[i] * shrink[i] + added[i]
            T.copy(scores, weights)
            for i, j in T.Parallel(tile_m, depth):
                total[i, j] *= shrink[i]
            T.copy(v[b, head // group, t * tile_n, 0], v_tile)
            T.gemm(weights, v_tile, total, policy=T.GemmWarpPolicy.FullRow)
        for i in T.Parallel(tile_m):
            share[i] = T.if_then_else(share[i] > 0.0, 1.0 / share[i], 0.0)
        for i, j in T.Parallel(tile_m, depth):
            total[i, j] *= share[i]
        T.copy(total, out_tile)
        T.copy(out_tile, out[b, head, first, 0])

    if masked:

        @T.prim_func
        def attention_tilelang_masked(
            q: T.StridedTensor((batch, heads, queries, depth), q_strides, dtype),
            k: T.StridedTensor((batch, heads // group, keys, depth), k_strides, dtype),
            v: T.StridedTensor((batch, heads // group, keys, depth), v_strides, dtype),
            mask: T.Tensor((batch, keys), "uint8"),
            out: T.Tensor((batch, heads, queries, depth), dtype),
        ):
            with T.Kernel(heads, T.ceildiv(queries, tile_m), batch, threads=threads) as (head, block, b):
                attend(q, k, v, mask, out, T.ceildiv(queries, tile_m) - 1 - block, head, b)

        return attention_tilelang_masked

    @T.prim_func
    def attention_tilelang(
        q: T.StridedTensor((batch, heads, queries, depth), q_strides, dtype),
        k: T.StridedTensor((batch, heads // group, keys, depth), k_strides, dtype),
        v: T.StridedTensor((batch, heads // group, keys, depth), v_strides, dtype),
        out: T.Tensor((batch, heads, queries, depth), dtype),
    ):
        with T.Kernel(heads, T.ceildiv(queries, tile_m), batch, threads=threads) as (head, block, b):
            attend(q, k, v, None, out, T.ceildiv(queries, tile_m) - 1 - block, head, b)

    return attention_tilelang
