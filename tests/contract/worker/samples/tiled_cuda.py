"""TileLang kernels for a GPU: what a dry run has to compile, and what it has to refuse. Each function is an entry."""

import tilelang
import tilelang.language as T
import torch

TILE_M, TILE_N, TILE_K, STAGES = 128, 64, 32, 3
GEMM_SHARED_BYTES = STAGES * (TILE_M * TILE_K + TILE_K * TILE_N) * 2  # float16


@tilelang.jit(out_idx=[-1])
def matmul(n: int, k: int, tile_n: int = TILE_N):
    m = T.dynamic("m")

    @T.prim_func
    def matmul_kernel(
        a: T.Tensor((m, k), "float16"), b: T.Tensor((k, n), "float16"), c: T.Tensor((m, n), "float16")
    ):
        with T.Kernel(T.ceildiv(n, tile_n), T.ceildiv(m, TILE_M), threads=128) as (column, row):
            a_tile = T.alloc_shared((TILE_M, TILE_K), "float16")
            b_tile = T.alloc_shared((TILE_K, tile_n), "float16")
            total = T.alloc_fragment((TILE_M, tile_n), "float32")
            T.clear(total)
            for step in T.Pipelined(T.ceildiv(k, TILE_K), num_stages=STAGES):
                T.copy(a[row * TILE_M, step * TILE_K], a_tile)
                T.copy(b[step * TILE_K, column * tile_n], b_tile)
                T.gemm(a_tile, b_tile, total)
            T.copy(total, c[row * TILE_M, column * tile_n])

    return matmul_kernel


def adder(name, extent, returned):
    @T.prim_func
    def add(x: T.Tensor((extent,), "float32"), y: T.Tensor((extent,), "float32"), z: T.Tensor((returned,), "float32")):
        with T.Kernel(T.ceildiv(extent, 256), threads=128) as block:
            for i in T.Parallel(256):
                z[block * 256 + i] = x[block * 256 + i] + y[block * 256 + i]

    return add.with_attr("global_symbol", name)


def gemm():
    a, b = made(300, 512, dtype=torch.float16), made(512, 256, dtype=torch.float16)
    return matmul(256, 512)(a, b)


def add():
    x = made(4096)
    return tilelang.compile(adder("add", 4096, 4096), out_idx=[-1], target="cuda")(x, x)


def chained():
    """The second kernel is reached only with what the first one returns."""
    n = T.dynamic("n")
    x = made(1000)
    doubled = tilelang.compile(adder("first", n, n), out_idx=[-1])(x, x)
    return tilelang.compile(adder("second", 1000, 1000), out_idx=[-1])(doubled, doubled)


def longer():
    n = T.dynamic("n")
    x = made(100)
    return tilelang.compile(adder("longer", n, n * 2 + 1), out_idx=[-1])(x, x)


@tilelang.jit
def eager_add(x, y):
    n = T.const("n")
    x: T.Tensor[[n], "float32"]
    y: T.Tensor[[n], "float32"]
    z = T.empty((n,), "float32")
    with T.Kernel(T.ceildiv(n, 256), threads=128) as block:
        for i in T.Parallel(256):
            z[block * 256 + i] = x[block * 256 + i] + y[block * 256 + i]
    return z


def eager():
    return eager_add(made(2048), made(2048))


def in_a_library():
    x = made(4096)
    return tilelang.compile(adder("add", 4096, 4096), out_idx=[-1], target="cuda", execution_backend="cython")(x, x)


@tilelang.autotune(configs=[{"tile_n": 32}, {"tile_n": 128}])
@tilelang.jit(out_idx=[-1])
def searched(n: int, k: int, tile_n: int = TILE_N):
    return matmul.get_tir(n, k, tile_n)


def tuned():
    return searched(256, 512)(made(64, 512, dtype=torch.float16), made(512, 256, dtype=torch.float16))


def built_only():
    """As a `compile` hook may do it: nothing is called."""
    matmul(256, 512)


def wrong_code():
    @T.prim_func
    def unknown(x: T.Tensor((128,), "float32")):
        with T.Kernel(1, threads=128):
            for i in T.Parallel(128):
                x[i] = T.call_extern("float32", "no_such_function", x[i])

    tilelang.compile(unknown, target="cuda")


def too_many():
    x = made(4096)
    tilelang.compile(adder("add", 4096, 4096), out_idx=[-1])(x, x, x)


def on_the_cpu():
    x = made(4096)
    return tilelang.compile(adder("add", 4096, 4096), out_idx=[-1], target="c", execution_backend="cython")(x, x)


def made(*shape, dtype=torch.float32):
    return torch.empty(*shape, dtype=dtype, device="cuda")
