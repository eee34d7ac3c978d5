"""
out[r, c] = exp(x[r, c] - m[r]) / sum over c of exp(x[r, c] - m[r]), with m[r] the largest value of row r.

x and out [rows, columns] of one dtype; arithmetic in float32.
"""

import torch
import triton
import triton.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)
LOWEST = tl.constexpr(-3.4028234663852886e38)  # of float32
WIDEST_ROW = 16384  # columns that a program holds in registers: 1024 threads with 16 values each
VALUES_PER_THREAD = 16


def softmax(x: torch.Tensor) -> torch.Tensor:
    """x [rows, columns] of any strides, float32, float16 or bfloat16 on CUDA."""
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    rows, columns = x.shape
    if x.numel() == 0:
        return out
    if columns <= WIDEST_ROW:
        block = triton.next_power_of_2(columns)
        warps = max(1, min(32, block // (32 * VALUES_PER_THREAD)))
        softmax_triton[(rows,)](x, out, columns, *x.stride(), block, num_warps=warps)
    else:
        softmax_triton_wide[(rows,)](x, out, columns, *x.stride(), WIDEST_ROW // 2, num_warps=16)
    return out


@triton.jit
def softmax_triton(x, out, columns, row_stride, column_stride, BLOCK: tl.constexpr):
    """A program takes a row and keeps it in registers."""
    r = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    values = tl.load(x + r * row_stride + c * column_stride, c < columns, other=-float("inf")).to(tl.float32)
    powers = tl.exp2((values - tl.max(values, 0)) * LOG2_E)
    tl.store(out + r * columns + c, powers * (1.0 / tl.sum(powers, 0)), c < columns)


@triton.jit
def softmax_triton_wide(x, out, columns, row_stride, column_stride, BLOCK: tl.constexpr):
    """
    For rows that no program can hold: one pass for maximum and sum, block by block, and one to write.

    The maximum starts at the lowest finite number: a block of -inf then adds 0, where -inf - -inf would add NaN.
    """
    r = tl.program_id(0).to(tl.int64)
    largest = LOWEST
    total = 0.0
    for start in range(0, columns, BLOCK):
        c = start + tl.arange(0, BLOCK)
        values = tl.load(x + r * row_stride + c * column_stride, c < columns, other=-float("inf")).to(tl.float32)
        before = largest
        largest = tl.maximum(largest, tl.max(values, 0))
        total = total * tl.exp2((before - largest) * LOG2_E) + tl.sum(tl.exp2((values - largest) * LOG2_E), 0)
    share = 1.0 / total
    for start in range(0, columns, BLOCK):
        c = start + tl.arange(0, BLOCK)
        values = tl.load(x + r * row_stride + c * column_stride, c < columns, other=-float("inf")).to(tl.float32)
        tl.store(out + r * columns + c, tl.exp2((values - largest) * LOG2_E) * share, c < columns)
