"""Schedules that benchmarks/gallery.py tries with --tune; keys are those of the gallery's SCHEDULES."""

from typing import Any

from .inputs import CUTILE, TILELANG, TRITON, Space


def tiles(m: int, n: int, k: int, stages: int, threads: int, split: str = "rows") -> dict[str, Any]:
    return {"tile_m": m, "tile_n": n, "tile_k": k, "stages": stages, "threads": threads, "split": split}


def blocks(m: int, n: int, stages: int, threads: int) -> dict[str, int]:
    return {"tile_m": m, "tile_n": n, "stages": stages, "threads": threads}


def hinted(*tile: int, **hints: int) -> dict[str, Any]:
    return {"tile": tile, "hints": hints}


def warps(m: int, n: int, k: int, warps: int, stages: int) -> dict[str, int]:
    return {"TILE_M": m, "TILE_N": n, "TILE_K": k, "num_warps": warps, "num_stages": stages}


# Of products with many rows of output; schedules that lost by far on an H200 are not tried again.
TILELANG_TALL = (
    tiles(128, 256, 64, 3, 256),
    tiles(128, 256, 64, 4, 256),
    tiles(192, 192, 64, 3, 384),
)
# Of products with eight rows, which wait for the second matrix.
TILELANG_FLAT = (
    tiles(64, 64, 128, 6, 128),
    tiles(64, 128, 64, 6, 128),
    tiles(64, 128, 64, 8, 128),
    tiles(64, 128, 128, 4, 128),
)
CUTILE_TALL = (
    hinted(128, 128, 64, occupancy=2),
    hinted(128, 256, 64, occupancy=1, num_worker_warps=8),
)
CUTILE_FLAT = (
    hinted(64, 64, 128, occupancy=2),
    hinted(64, 64, 128, occupancy=1),
    hinted(64, 128, 64, occupancy=2),
)
TRITON_TALL = (
    warps(128, 256, 64, 8, 3),
    warps(128, 256, 64, 8, 4),
    warps(256, 128, 64, 8, 3),
    warps(128, 128, 64, 8, 4),
    warps(128, 128, 64, 4, 4),
)
GEMM_SPACES = (
    Space(dsl=TILELANG, plans=TILELANG_TALL),
    Space(dsl=TILELANG, plans=TILELANG_TALL, case=2),
    Space(dsl=TILELANG, plans=TILELANG_FLAT, case=4),
    Space(dsl=CUTILE, plans=CUTILE_TALL, case=1),
    Space(dsl=CUTILE, plans=CUTILE_TALL, case=2),
    Space(dsl=CUTILE, plans=CUTILE_FLAT, case=4),
    Space(dsl=TRITON, plans=TRITON_TALL),
    Space(dsl=TRITON, plans=TRITON_TALL[:3], case=2),
)
LINEAR_SPACES = (
    Space(dsl=TILELANG, plans=TILELANG_TALL),
    Space(dsl=TILELANG, plans=TILELANG_TALL, case=1),
    Space(dsl=CUTILE, plans=CUTILE_TALL),
    Space(dsl=CUTILE, plans=CUTILE_TALL, case=1),
)
ATTENTION_SPACES = (
    Space(dsl=TILELANG, plans=(blocks(128, 128, 1, 256), blocks(192, 128, 2, 384))),
    Space(dsl=TILELANG, plans=(blocks(128, 128, 1, 256), blocks(192, 128, 2, 384)), case=1),
    Space(dsl=TILELANG, plans=(blocks(128, 128, 1, 256), blocks(128, 64, 1, 256)), case=2),
    Space(dsl=CUTILE, plans=(hinted(64, 128, occupancy=2), hinted(64, 64, occupancy=3)), case=1),
    Space(dsl=CUTILE, plans=(hinted(64, 64, occupancy=3), hinted(64, 64, occupancy=4)), case=2),
)
SCALED_SPACES = (
    Space(dsl=TILELANG, plans=(blocks(128, 128, 4, 256), blocks(192, 128, 4, 384))),
    Space(dsl=TILELANG, plans=(blocks(128, 128, 4, 256), blocks(192, 128, 4, 384)), case=1),
    Space(dsl=TILELANG, plans=(blocks(64, 32, 4, 128), blocks(64, 64, 4, 128), blocks(64, 64, 6, 128)), case=2),
)
SOFTMAX_SPACES = (
    Space(dsl=CUTILE, plans=(hinted(1, 8192, num_worker_warps=8), hinted(1, 4096, num_worker_warps=8)), case=2),
    Space(dsl=CUTILE, plans=(hinted(2, 512, num_worker_warps=4), hinted(2, 512, num_worker_warps=2)), case=3),
)
