"""The Triton kernels, compiled to machine code for GPUs that are not there."""

import importlib

import pytest

pytestmark = [pytest.mark.real, pytest.mark.filterwarnings("ignore")]

CAPABILITIES = (80, 90, 100)
HALF, INT = "*bf16", "i32"

# Kernel: signature, constants, and the warps and stages it is launched with.
ROWS = {"row_stride": INT, "columns": INT}
KEYS = {
    "vector_add": ("vector_add", "vector_add_triton", {"n": INT}, {"stride_x": 1, "stride_y": 1, "BLOCK": 2048}, 8),
    "vector_add strided": (
        "vector_add",
        "vector_add_triton",
        {"n": INT, "stride_x": INT},
        {"stride_y": 1, "BLOCK": 2048},
        8,
    ),
    "matrix_add": (
        "matrix_add",
        "matrix_add_triton",
        {"columns": INT, "row_x": INT, "row_y": INT},
        {"column_x": 1, "column_y": 1, "BLOCK": 2048},
        8,
    ),
    "softmax": ("softmax", "softmax_triton", ROWS, {"column_stride": 1, "BLOCK": 2048}, 4),
    "softmax wide": ("softmax", "softmax_triton_wide", ROWS, {"column_stride": 1, "BLOCK": 8192}, 16),
    "rms_norm": ("rms_norm", "rms_norm_triton", {**ROWS, "eps": "fp32"}, {"column_stride": 1, "BLOCK": 4096}, 8),
    "rms_norm backward": (
        "rms_norm",
        "rms_norm_backward_triton",
        {"rows": INT, "columns": INT, "eps": "fp32", "partial": "*fp32"},
        {"BLOCK": 4096},
        8,
    ),
    "gemm": ("gemm", "gemm_triton", dict.fromkeys(("m", "n", "k", "a_row", "b_row"), INT), "tall", 0),
    "gemm row": (
        "gemm",
        "gemm_triton_row",
        {"n": INT, "k": INT, "b_row": INT},
        {"a_column": 1, "b_column": 1, "TILE_N": 64, "TILE_K": 64, "STAGES": 4},
        4,
    ),
    "gemm row transposed": (
        "gemm",
        "gemm_triton_row",
        {"n": INT, "k": INT, "b_column": INT},
        {"a_column": 1, "b_row": 1, "TILE_N": 16, "TILE_K": 256, "STAGES": 4},
        4,
    ),
    "gemm flat": ("gemm", "gemm_triton", dict.fromkeys(("m", "n", "k", "a_row", "b_row"), INT), "flat", 0),
}


@pytest.fixture(scope="module")
def triton():
    return pytest.importorskip("triton", reason="not run: triton is not installed")


def launch(operator, constants, warps, capability):
    """Constants and compiler options of a key; a schedule's name stands for what it says for this capability."""
    if not isinstance(constants, str):
        return constants, {"num_warps": warps}
    kernels = importlib.import_module(f"gallery.{operator}.triton_")
    plan = dict(kernels.schedule(capability, 4096 if constants == "tall" else 1))
    options = {name: plan.pop(name) for name in ("num_warps", "num_stages")}
    return {**plan, "GROUP": kernels.GROUP, "a_column": 1, "b_column": 1}, options


@pytest.mark.parametrize("capability", CAPABILITIES)
@pytest.mark.parametrize("key", KEYS)
def test_every_kernel_compiles_and_keeps_the_name_that_proves_its_path(triton, key, capability):
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    operator, name, scalars, written, warps = KEYS[key]
    constants, options = launch(operator, written, warps, capability)
    kernel = getattr(importlib.import_module(f"gallery.{operator}.triton_"), name)
    names = kernel.arg_names
    kinds = {n: "constexpr" if n in constants else scalars.get(n, HALF) for n in names}
    aligned = {(i,): [["tt.divisibility", 16]] for i, n in enumerate(names) if kinds[n] in (HALF, INT)}
    values = {(names.index(n),): value for n, value in constants.items()}
    source = ASTSource(fn=kernel, signature=kinds, constexprs=values, attrs=aligned)

    compiled = triton.compile(source, target=GPUTarget("cuda", capability, 32), options=options)

    assert compiled.metadata.name == name
    assert compiled.asm["cubin"][:4] == b"\x7fELF"


def test_the_gemm_reaches_hoppers_tensor_cores(triton):
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    kernels = importlib.import_module("gallery.gemm.triton_")
    constants, options = launch("gemm", "tall", 0, 90)
    kernel = kernels.gemm_triton
    names = kernel.arg_names
    kinds = {n: "constexpr" if n in constants else HALF if n in ("a", "b", "out") else INT for n in names}
    aligned = {(i,): [["tt.divisibility", 16]] for i, n in enumerate(names) if kinds[n] != "constexpr"}
    values = {(names.index(n),): value for n, value in constants.items()}
    source = ASTSource(fn=kernel, signature=kinds, constexprs=values, attrs=aligned)

    compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options)

    assert "wgmma.mma_async" in compiled.asm["ptx"]


@pytest.mark.parametrize("transposed", [False, True])
def test_the_gemm_with_dense_rows_reaches_hoppers_copy_engine_too(triton, transposed):
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    kernels = importlib.import_module("gallery.gemm.triton_")
    plan = dict(kernels.schedule(90, 4096))
    options = {name: plan.pop(name) for name in ("num_warps", "num_stages")}
    constants = {**plan, "GROUP": kernels.GROUP, "TRANSPOSED": transposed}
    m, n, k = plan["TILE_M"], plan["TILE_N"], plan["TILE_K"]
    tiles = {"a": (m, k), "b": (n, k) if transposed else (k, n), "out": (m, n)}
    kernel = kernels.gemm_triton_tma
    described = {name: f"tensordesc<bf16[{rows},{columns}]>" for name, (rows, columns) in tiles.items()}
    kinds = {name: "constexpr" if name in constants else described.get(name, INT) for name in kernel.arg_names}
    values = {(kernel.arg_names.index(name),): value for name, value in constants.items()}
    source = ASTSource(fn=kernel, signature=kinds, constexprs=values)

    compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options)

    assert compiled.metadata.name == "gemm_triton_tma"
    assert "wgmma.mma_async" in compiled.asm["ptx"]
    assert "cp.async.bulk.tensor" in compiled.asm["ptx"]
