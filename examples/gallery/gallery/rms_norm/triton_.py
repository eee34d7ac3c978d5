"""
Forward: out = x · r · weight, with r = 1 / sqrt(mean(x²) + eps) per row. Backward, with n = x · r and g = grad ·
weight: dx = r · (g - n · mean(g · n)) and dweight = sum of grad · n over the rows.

x, grad, out, dx [rows, columns] and weight [columns] of one dtype; arithmetic in float32. A program holds a row in
registers; columns beyond it count as 0.
"""

import torch
import triton
import triton.language as tl

from gallery.paths import dense

VALUES_PER_THREAD = 16
PROGRAMS_PER_MULTIPROCESSOR = 2  # of the backward kernel, each with its own partial sum of dweight


def rms_norm(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    """x [rows, columns ≤ 16384] of any strides, float32, float16 or bfloat16 on CUDA; weight [columns]."""
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    rows, columns = x.shape
    if x.numel():
        block, warps = block_of(columns)
        rms_norm_triton[(rows,)](x, dense(weight), out, columns, *x.stride(), eps, block, num_warps=warps)
    return out


def rms_norm_backward(
    grad: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, eps: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """As rms_norm, but strided tensors are copied first; returns dx and dweight."""
    dx = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if x.numel() == 0:
        return dx, torch.zeros_like(weight)
    rows, columns = x.shape
    multiprocessors = torch.cuda.get_device_properties(x.device).multi_processor_count
    programs = min(rows, PROGRAMS_PER_MULTIPROCESSOR * multiprocessors)
    partial = torch.empty(programs, columns, dtype=torch.float32, device=x.device)
    block, warps = block_of(columns)
    rms_norm_backward_triton[(programs,)](
        dense(grad), dense(x), dense(weight), dx, partial, rows, columns, eps, block, num_warps=warps
    )
    return dx, partial.sum(0).to(weight.dtype)


def block_of(columns: int) -> tuple[int, int]:
    """Values and warps of a program for a row."""
    block = triton.next_power_of_2(columns)
    return block, max(1, min(32, block // (32 * VALUES_PER_THREAD)))


@triton.jit
def rms_norm_triton(x, weight, out, columns, row_stride, column_stride, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    inside = c < columns
    values = tl.load(x + row * row_stride + c * column_stride, inside, other=0.0).to(tl.float32)
    scale = tl.load(weight + c, inside, other=0.0).to(tl.float32)
    r = tl.rsqrt(tl.sum(values * values, 0) / columns + eps)
    tl.store(out + row * columns + c, values * r * scale, inside)


@triton.jit
def rms_norm_backward_triton(grad, x, weight, dx, partial, rows, columns, eps, BLOCK: tl.constexpr):
    """
    Program p takes rows p, p + programs, p + 2 · programs, …; partial [programs, columns] is its share of dweight.
    """
    program = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    inside = c < columns
    scale = tl.load(weight + c, inside, other=0.0).to(tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    at = program.to(tl.int64) * columns + c
    for _ in range(program, rows, tl.num_programs(0)):
        normal = tl.load(x + at, inside, other=0.0).to(tl.float32)
        g = tl.load(grad + at, inside, other=0.0).to(tl.float32)
        r = tl.rsqrt(tl.sum(normal * normal, 0) / columns + eps)
        normal = normal * r
        total += g * normal
        g = g * scale
        mean = tl.sum(g * normal, 0) / columns
        tl.store(dx + at, r * (g - normal * mean), inside)
        at += tl.num_programs(0) * columns
    tl.store(partial + program.to(tl.int64) * columns + c, total, inside)
