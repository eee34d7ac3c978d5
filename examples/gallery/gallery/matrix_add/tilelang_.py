"""out[r, c] = x[r, c] + y[r, c], all of one dtype. Dense matrices are one long vector; only rows apart need rows."""

import tilelang
import tilelang.language as T
import torch

from gallery.paths import dtype_name, rows_apart
from gallery.vector_add.tilelang_ import vector_add


def matrix_add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """
    x, y [rows, columns], float32 on the CPU, float32, float16 or bfloat16 on CUDA.

    On CUDA rows that lie apart by a multiple of 16 bytes are read where they are; other strides are copied first.
    """
    if not x.is_cuda or (x.is_contiguous() and y.is_contiguous()):
        return vector_add(x.reshape(-1), y.reshape(-1)).view(x.shape)
    if x.numel() == 0:
        return torch.empty(x.shape, dtype=x.dtype, device=x.device)
    x, y = rows_apart(x), rows_apart(y)
    return on_cuda(x.shape[1], x.stride(0), y.stride(0), dtype_name(x))(x, y)


@tilelang.jit(out_idx=[-1], target="cuda")
def on_cuda(columns: int, stride_x: int, stride_y: int, dtype: str, threads: int = 256):
    """One kernel for every number of rows; a model has few strides, and knowing them lets a thread load 16 bytes."""
    rows = T.dynamic("rows")
    block = min(threads * 32 // (4 if dtype == "float32" else 2), 1 << (columns - 1).bit_length())

    @T.prim_func
    def matrix_add_tilelang(
        x: T.StridedTensor((rows, columns), (stride_x, 1), dtype),
        y: T.StridedTensor((rows, columns), (stride_y, 1), dtype),
        out: T.Tensor((rows, columns), dtype),
    ):
        # Rows come first: a grid holds 2^31 blocks in its first dimension, and 65535 in the others.
        with T.Kernel(rows, T.ceildiv(columns, block), threads=min(threads, block)) as (r, b):
            for j in T.Parallel(block):
                if b * block + j < columns:
                    out[r, b * block + j] = x[r, b * block + j] + y[r, b * block + j]

    return matrix_add_tilelang
