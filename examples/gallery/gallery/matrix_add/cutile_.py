"""out[r, c] = x[r, c] + y[r, c], all of one dtype. Dense matrices are one long vector; only rows apart need rows."""

import cuda.tile as ct
import torch

from gallery.vector_add.cutile_ import vector_add

TILE = (2, 1024)


def matrix_add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """x, y [rows, columns] of any strides, float32, float16 or bfloat16 on CUDA."""
    if x.is_contiguous() and y.is_contiguous():
        return vector_add(x.view(-1), y.view(-1)).view(x.shape)
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if x.numel():
        grid = (ct.cdiv(x.shape[0], TILE[0]), ct.cdiv(x.shape[1], TILE[1]))
        ct.launch(torch.cuda.current_stream(), grid, matrix_add_cutile, (x, y, out, *TILE))
    return out


@ct.kernel
def matrix_add_cutile(x, y, out, tile_rows: ct.Constant[int], tile_columns: ct.Constant[int]):
    at = (ct.bid(0), ct.bid(1))
    shape = (tile_rows, tile_columns)
    ct.store(out, index=at, tile=ct.load(x, index=at, shape=shape) + ct.load(y, index=at, shape=shape))
