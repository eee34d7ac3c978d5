"""
out = a @ b for a few rows of a, as one token gives, or four of them: a value of b is used once a row, so memory sets
the time. Threads load 16 bytes of b at once, with many loads on their way, and tensor cores are left out.

a [m, k], b [k, n] or its transpose [n, k], out [m, n], dense and of one dtype; k and n multiples of 8. Sums are formed
in float32, each in an order that never changes.
"""

import tilelang
import tilelang.language as T

MOST_ROWS = 4  # with more, arithmetic catches up with the memory
CHUNK = 8  # values that a thread loads at once: 16 bytes
LANES = 32
WARPS = 4
COLUMNS = 4  # of the output that a warp forms, so that a chunk of a is loaded once for four of b
AHEAD = 2  # chunks of each of them that are on their way


def fits(m: int, k: int, n: int) -> bool:
    return m <= MOST_ROWS and k % CHUNK == 0 and n % CHUNK == 0


@T.macro
def dot(total, a, b, first, m, k, dtype):
    """
    total [m, COLUMNS] = a @ bᵀ of all m rows of a and the rows of b from `first`, in every lane of a warp.

    A lane takes every 32nd chunk of a row, and the lanes then add up what they have.
    """
    lane = T.get_thread_binding() % LANES
    stride = AHEAD * LANES * CHUNK
    T.clear(total)
    for step in T.serial(k // stride):
        multiply(total, a, b, first, step * stride + lane * CHUNK, AHEAD, m, dtype)
    for step in T.serial(-(-(k % stride) // (LANES * CHUNK))):
        if k // stride * stride + (step * LANES + lane) * CHUNK < k:
            multiply(total, a, b, first, k // stride * stride + (step * LANES + lane) * CHUNK, 1, m, dtype)
    for i, j in T.grid(m, COLUMNS):
        total[i, j] = T.warp_reduce_sum(total[i, j])


@T.macro
def multiply(total, a, b, first, at, ahead, m, dtype):
    """Adds the products of `ahead` chunks, 32 chunks apart, the first of them at column `at` of a and b."""
    a_part = T.alloc_local((m, ahead, CHUNK), dtype)
    b_part = T.alloc_local((COLUMNS, ahead, CHUNK), dtype)
    for j in T.unroll(COLUMNS):
        for u in T.unroll(ahead):
            for v in T.vectorized(CHUNK):
                b_part[j, u, v] = b[first + j, at + u * LANES * CHUNK + v]
    for i in T.unroll(m):
        for u in T.unroll(ahead):
            for v in T.vectorized(CHUNK):
                a_part[i, u, v] = a[i, at + u * LANES * CHUNK + v]
    for i in T.unroll(m):
        for j in T.unroll(COLUMNS):
            for u in T.unroll(ahead):
                for v in T.unroll(CHUNK):
                    total[i, j] += T.cast(a_part[i, u, v], "float32") * T.cast(b_part[j, u, v], "float32")


@tilelang.jit(out_idx=[-1], target="cuda")
def on_cuda_transposed(m: int, k: int, n: int, dtype: str):
    """b [n, k]: a warp takes four of its rows."""

    @T.prim_func
    def gemm_tilelang_few(
        a: T.Tensor((m, k), dtype),
        b: T.Tensor((n, k), dtype),
        out: T.Tensor((m, n), dtype),
    ):
        with T.Kernel(-(-n // (WARPS * COLUMNS)), threads=WARPS * LANES) as block:
            total = T.alloc_local((m, COLUMNS), "float32")
            first = (block * WARPS + T.get_thread_binding() // LANES) * COLUMNS
            if first < n:
                dot(total, a, b, first, m, k, dtype)
                if T.get_thread_binding() % LANES == 0:
                    for i, j in T.grid(m, COLUMNS):
                        out[i, first + j] = total[i, j]

    return gemm_tilelang_few


@tilelang.jit(out_idx=[-1], target="cuda")
def on_cuda(m: int, k: int, n: int, dtype: str, groups: int = 8, threads: int = 256):
    """
    b [k, n]: `groups` threads side by side take a chunk each of a row of b, and the others rows of their own; what they
    have is added up in shared memory.

    Over 40 lines, since a kernel is traced as one function.
    """
    slices = threads // groups  # of k, each with 8 rows of b at a time
    width = groups * CHUNK

    @T.macro
    def multiply_rows(total, a, b, at, column):
        a_part = T.alloc_local((m, CHUNK), dtype)
        b_part = T.alloc_local((CHUNK, CHUNK), dtype)
        for p in T.unroll(CHUNK):
            for v in T.vectorized(CHUNK):
                b_part[p, v] = b[at + p, column + v]
        for i in T.unroll(m):
            for v in T.vectorized(CHUNK):
                a_part[i, v] = a[i, at + v]
        for p in T.unroll(CHUNK):
            for i in T.unroll(m):
                for v in T.unroll(CHUNK):
                    total[i, v] += T.cast(a_part[i, p], "float32") * T.cast(b_part[p, v], "float32")

    @T.prim_func
    def gemm_tilelang_few(
        a: T.Tensor((m, k), dtype),
        b: T.Tensor((k, n), dtype),
        out: T.Tensor((m, n), dtype),
    ):
        with T.Kernel(-(-n // width), threads=threads) as block:
            total = T.alloc_local((m, CHUNK), "float32")
            partial = T.alloc_shared((slices, m, width), "float32")
            result = T.alloc_local((1,), "float32")
            thread = T.get_thread_binding()
            part, group = thread // groups, thread % groups
            column = block * width + group * CHUNK
            T.clear(total)
            if column < n:
                for step in T.serial(k // (slices * CHUNK)):
                    multiply_rows(total, a, b, (step * slices + part) * CHUNK, column)
                if k // (slices * CHUNK) * slices * CHUNK + part * CHUNK < k:
                    multiply_rows(total, a, b, k // (slices * CHUNK) * slices * CHUNK + part * CHUNK, column)
            for i in T.unroll(m):
                for v in T.vectorized(CHUNK):
                    partial[part, i, group * CHUNK + v] = total[i, v]
            T.sync_threads()
            for turn in T.serial(-(-m * width // threads)):
                place = turn * threads + thread
                if place < m * width and block * width + place % width < n:
                    result[0] = 0.0
                    for s in T.serial(slices):
                        result[0] += partial[s, place // width, place % width]
                    out[place // width, block * width + place % width] = result[0]

    return gemm_tilelang_few
