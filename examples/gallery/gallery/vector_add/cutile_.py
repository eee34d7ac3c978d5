"""out[n] = x[n] + y[n], all of one dtype; what a tile reaches beyond n is read as 0 and not stored."""

import cuda.tile as ct
import torch

TILE = 2048


def vector_add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """x, y [n] of any stride, float32, float16 or bfloat16 on CUDA."""
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    n = x.numel()
    grid, stream = (ct.cdiv(n, TILE),), torch.cuda.current_stream()
    whole = n // TILE * TILE
    if 0 < whole < n:
        parts = (part for v in (x, y, out) for part in (v[:whole], v[whole:]))
        ct.launch(stream, grid, vector_add_cutile_ragged, (*parts, TILE))
    elif n:
        ct.launch(stream, grid, vector_add_cutile, (x, y, out, TILE))
    return out


@ct.kernel
def vector_add_cutile(x, y, out, tile: ct.Constant[int]):
    add(x, y, out, ct.bid(0), tile)


@ct.kernel
def vector_add_cutile_ragged(x, x_rest, y, y_rest, out, out_rest, tile: ct.Constant[int]):
    """
    A last tile that is not whole comes as arrays of its own. In one array of odd length, each value would be loaded by
    itself, as the compiler could not tell where the array ends; of whole tiles, 16 bytes are loaded at once.
    """
    b, whole = ct.bid(0), ct.cdiv(x.shape[0], tile)
    if b < whole:
        add(x, y, out, b, tile)
    else:
        add(x_rest, y_rest, out_rest, b - whole, tile)


def add(x, y, out, b, tile):
    """Tile b; called in kernels."""
    total = ct.load(x, index=(b,), shape=(tile,)) + ct.load(y, index=(b,), shape=(tile,))
    ct.store(out, index=(b,), tile=total)
