"""out[r, c] = x[r, c] + y[r, c], all of one dtype. Dense matrices are one long vector; only rows apart need rows."""

import torch
import triton
import triton.language as tl

from gallery.vector_add.triton_ import vector_add

BLOCK = 2048


def matrix_add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """x, y [rows, columns] of any strides, float32, float16 or bfloat16 on CUDA."""
    if x.is_contiguous() and y.is_contiguous():
        return vector_add(x.view(-1), y.view(-1)).view(x.shape)
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if x.numel():
        rows, columns = x.shape
        grid = (rows, triton.cdiv(columns, BLOCK))
        matrix_add_triton[grid](x, y, out, columns, *x.stride(), *y.stride(), BLOCK, num_warps=8)
    return out


@triton.jit
def matrix_add_triton(x, y, out, columns, row_x, column_x, row_y, column_y, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = c < columns
    total = tl.load(x + r * row_x + c * column_x, inside) + tl.load(y + r * row_y + c * column_y, inside)
    tl.store(out + r * columns + c, total, inside)
