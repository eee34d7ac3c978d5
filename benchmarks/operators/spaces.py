"""Schedules that benchmarks/gallery.py tries with --tune, by DSL; keys are those of the gallery's SCHEDULES."""

from typing import Any

TILELANG, CUTILE, TRITON = "tilelang", "cutile", "triton"


def tiles(m: int, n: int, k: int, stages: int, threads: int, split: str = "rows") -> dict[str, Any]:
    return {"tile_m": m, "tile_n": n, "tile_k": k, "stages": stages, "threads": threads, "split": split}


def hinted(*tile: int, **hints: int) -> dict[str, Any]:
    return {"tile": tile, "hints": hints}


def warps(m: int, n: int, k: int, warps: int, stages: int) -> dict[str, int]:
    return {"TILE_M": m, "TILE_N": n, "TILE_K": k, "num_warps": warps, "num_stages": stages}


PRODUCT_SPACES = {
    TILELANG: (
        tiles(128, 256, 64, 3, 256),
        tiles(128, 256, 64, 3, 256, "square"),
        tiles(128, 256, 64, 4, 256),
        tiles(256, 128, 64, 3, 256),
        tiles(256, 128, 64, 4, 256),
        tiles(128, 128, 64, 4, 256),
        tiles(128, 128, 64, 4, 128),
        tiles(192, 192, 64, 3, 384),
        tiles(128, 256, 32, 6, 256),
        tiles(128, 192, 64, 4, 256),
    ),
    CUTILE: (
        hinted(128, 128, 64, occupancy=2),
        hinted(128, 256, 64, occupancy=1, num_worker_warps=8),
        hinted(256, 128, 64, occupancy=1, num_worker_warps=8),
        hinted(128, 128, 64, occupancy=1, num_worker_warps=8),
        hinted(128, 128, 128, occupancy=1, num_worker_warps=8),
        hinted(128, 128, 32, occupancy=2),
        hinted(128, 128, 64, occupancy=2, num_ctas=2),
        hinted(128, 256, 64, occupancy=1, num_worker_warps=8, num_ctas=2),
    ),
    TRITON: (
        warps(128, 256, 64, 8, 3),
        warps(128, 256, 64, 8, 4),
        warps(256, 128, 64, 8, 3),
        warps(128, 128, 64, 8, 4),
        warps(128, 128, 64, 4, 4),
    ),
}
ATTENTION_SPACES = {
    TILELANG: (
        {"tile_m": 128, "tile_n": 128, "stages": 2, "threads": 256},
        {"tile_m": 128, "tile_n": 64, "stages": 2, "threads": 256},
        {"tile_m": 128, "tile_n": 128, "stages": 1, "threads": 256},
        {"tile_m": 192, "tile_n": 128, "stages": 2, "threads": 384},
        {"tile_m": 128, "tile_n": 96, "stages": 2, "threads": 256},
        {"tile_m": 64, "tile_n": 128, "stages": 2, "threads": 128},
    ),
    CUTILE: (
        hinted(128, 128, occupancy=1, num_worker_warps=8),
        hinted(128, 64, occupancy=1, num_worker_warps=8),
        hinted(64, 64, occupancy=2),
        hinted(64, 128, occupancy=2),
        hinted(128, 64, occupancy=1),
    ),
}
SCALED_SPACES = {
    TILELANG: (
        {"tile_m": 128, "tile_n": 128, "stages": 4, "threads": 256},
        {"tile_m": 128, "tile_n": 128, "stages": 3, "threads": 256},
        {"tile_m": 64, "tile_n": 128, "stages": 4, "threads": 128},
        {"tile_m": 128, "tile_n": 64, "stages": 4, "threads": 256},
    )
}
