"""
Forward: out = x · r · weight, with r = 1 / sqrt(mean(x²) + eps) per row. Backward, with n = x · r and g = grad ·
weight: dx = r · (g - n · mean(g · n)) and dweight = sum of grad · n over the rows.

x, grad, out, dx [rows, columns] and weight [columns], dense, of one dtype; arithmetic in float32. A block holds a
row in registers; columns beyond it count as 0.
"""

import tilelang
import tilelang.language as T
import torch

from gallery.paths import dense, dtype_name

BLOCKS_PER_MULTIPROCESSOR = 2  # of the backward kernel, each with its own partial sum of dweight


def rms_norm(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    """
    x [rows, columns ≤ 16384], float32 on the CPU, any float up to 32 bits on CUDA; strided ones are copied first.
    """
    if x.numel() == 0:
        return torch.empty(x.shape, dtype=x.dtype, device=x.device)
    kernel = on_cuda(x.shape[1], dtype_name(x), eps) if x.is_cuda else on_cpu(eps)
    return kernel(dense(x), dense(weight))


def rms_norm_backward(
    grad: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, eps: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """As rms_norm, on CUDA only; returns dx and dweight."""
    dx = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if x.numel() == 0:
        return dx, torch.zeros_like(weight)
    multiprocessors = torch.cuda.get_device_properties(x.device).multi_processor_count
    blocks = min(x.shape[0], BLOCKS_PER_MULTIPROCESSOR * multiprocessors)
    partial = torch.empty(blocks, x.shape[1], dtype=torch.float32, device=x.device)
    on_cuda_backward(x.shape[1], dtype_name(x), eps)(dense(grad), dense(x), dense(weight), dx, partial)
    return dx, partial.sum(0).to(weight.dtype)


@tilelang.jit(out_idx=[-1], target="c", execution_backend="cython", compile_flags=["-O3"])
def on_cpu(eps: float):
    """One kernel for every shape. The sum of squares runs over 16 lanes, which gcc keeps in vector registers."""
    rows, columns = T.dynamic("rows"), T.dynamic("columns")
    lanes = 16

    @T.prim_func
    def rms_norm_cpu(
        x: T.Tensor((rows, columns), "float32"),
        weight: T.Tensor((columns,), "float32"),
        out: T.Tensor((rows, columns), "float32"),
    ):
        with T.Kernel(rows) as row:
            squares = T.alloc_local((lanes,), "float32")
            r = T.alloc_local((1,), "float32")
            for lane in T.serial(lanes):
                squares[lane] = 0.0
            for c in T.serial(columns // lanes):
                for lane in T.serial(lanes):
                    squares[lane] += x[row, c * lanes + lane] * x[row, c * lanes + lane]
            for c in T.serial(columns % lanes):
                squares[c] += x[row, columns // lanes * lanes + c] * x[row, columns // lanes * lanes + c]
            r[0] = 0.0
            for lane in T.serial(lanes):
                r[0] += squares[lane]
            r[0] = 1.0 / T.sqrt(r[0] / T.cast(columns, "float32") + eps)
            for c in T.serial(columns):
                out[row, c] = x[row, c] * r[0] * weight[c]

    return rms_norm_cpu


def just_as_wide(columns: int) -> tuple[int, int]:
    """
    Values and threads of a block for a row. Where 8 values at a time and a power of two of threads come out even,
    as for 4096, 5120 and 7168 columns, the block is just as wide as the row; otherwise it is padded.
    """
    for threads in (1024, 512, 256, 128, 64, 32):
        if columns % (8 * threads) == 0 and 16 <= columns // threads <= 64:
            return columns, threads
    return padded(columns)


def padded(columns: int) -> tuple[int, int]:
    """Values and threads of a block for a row: the next power of two, and 16 values a thread."""
    tile = max(256, 1 << (columns - 1).bit_length())
    return tile, max(32, tile // 16)


@tilelang.jit(out_idx=[-1], target="cuda")
def on_cuda(columns: int, dtype: str, eps: float):
    """One kernel for every number of rows; a block takes a row."""
    rows = T.dynamic("rows")
    tile, threads = just_as_wide(columns)

    @T.prim_func
    def rms_norm_tilelang(
        x: T.Tensor((rows, columns), dtype),
        weight: T.Tensor((columns,), dtype),
        out: T.Tensor((rows, columns), dtype),
    ):
        with T.Kernel(rows, threads=threads) as row:
            values = T.alloc_fragment((1, tile), "float32")
            squares = T.alloc_fragment((1, tile), "float32")
            r = T.alloc_fragment((1,), "float32")
            for i, j in T.Parallel(1, tile):
                values[i, j] = T.if_then_else(j < columns, T.cast(x[row, j], "float32"), 0.0)
            for i, j in T.Parallel(1, tile):
                squares[i, j] = values[i, j] * values[i, j]
            T.reduce_sum(squares, r, dim=1)
            for i in T.Parallel(1):
                r[i] = T.rsqrt(r[i] * (1.0 / columns) + eps)
            for i, j in T.Parallel(1, tile):
                if j < columns:
                    out[row, j] = values[i, j] * r[i] * T.cast(weight[j], "float32")

    return rms_norm_tilelang


@tilelang.jit(target="cuda")
def on_cuda_backward(columns: int, dtype: str, eps: float):
    """
    One kernel for every number of rows. Block b takes rows b, b + blocks, b + 2 · blocks, …, and adds up its share of
    dweight in registers: partial [blocks, columns], whose sum over the blocks the caller forms.

    Over 40 lines, since a kernel is traced as one function.
    """
    rows, blocks = T.dynamic("rows"), T.dynamic("blocks")
    tile, threads = padded(columns)  # five values of a row per column: more than 16 a thread would not fit

    @T.prim_func
    def rms_norm_backward_tilelang(
        grad: T.Tensor((rows, columns), dtype),
        x: T.Tensor((rows, columns), dtype),
        weight: T.Tensor((columns,), dtype),
        dx: T.Tensor((rows, columns), dtype),
        partial: T.Tensor((blocks, columns), "float32"),
    ):
        with T.Kernel(blocks, threads=threads) as block:
            scale = T.alloc_fragment((1, tile), "float32")
            normal = T.alloc_fragment((1, tile), "float32")
            g = T.alloc_fragment((1, tile), "float32")
            product = T.alloc_fragment((1, tile), "float32")
            total = T.alloc_fragment((1, tile), "float32")
            r = T.alloc_fragment((1,), "float32")
            mean = T.alloc_fragment((1,), "float32")
            T.clear(total)
            for i, j in T.Parallel(1, tile):
                scale[i, j] = T.if_then_else(j < columns, T.cast(weight[j], "float32"), 0.0)
            for turn in T.serial(T.ceildiv(rows - block, blocks)):
                for i, j in T.Parallel(1, tile):
                    normal[i, j] = T.if_then_else(j < columns, T.cast(x[turn * blocks + block, j], "float32"), 0.0)
                for i, j in T.Parallel(1, tile):
                    g[i, j] = T.if_then_else(j < columns, T.cast(grad[turn * blocks + block, j], "float32"), 0.0)
                for i, j in T.Parallel(1, tile):
                    product[i, j] = normal[i, j] * normal[i, j]
                T.reduce_sum(product, r, dim=1)
                for i in T.Parallel(1):
                    r[i] = T.rsqrt(r[i] * (1.0 / columns) + eps)
                for i, j in T.Parallel(1, tile):
                    normal[i, j] = normal[i, j] * r[i]
                    total[i, j] += g[i, j] * normal[i, j]
                    g[i, j] = g[i, j] * scale[i, j]
                    product[i, j] = g[i, j] * normal[i, j]
                T.reduce_sum(product, mean, dim=1)
                for i, j in T.Parallel(1, tile):
                    if j < columns:
                        dx[turn * blocks + block, j] = r[i] * (g[i, j] - normal[i, j] * mean[i] * (1.0 / columns))
            for i, j in T.Parallel(1, tile):
                if j < columns:
                    partial[block, j] = total[i, j]

    return rms_norm_backward_tilelang
