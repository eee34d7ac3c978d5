"""What Triton GEMMs become for a Hopper GPU that is not there; `kgate compile` says that they compile."""

import importlib

import pytest

from tests.contract.gallery.conftest import wanted

wanted("torch")
triton = wanted("triton")
wanted("kgate_dispatch")

pytestmark = [pytest.mark.real, pytest.mark.filterwarnings("ignore")]

HOPPER, TALL = 90, 4096  # rows of the product
HALF, INT = "*bf16", "i32"


def ptx_of(name, arguments, constants, aligned=()):
    """Of a kernel with the GEMM's schedule; the arguments that `arguments` does not name are 32-bit integers."""
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    kernels = importlib.import_module("gallery.gemm.triton_")
    plan = dict(kernels.schedule(HOPPER, TALL))
    options = {option: plan.pop(option) for option in ("num_warps", "num_stages")}
    constants = {**plan, "GROUP": kernels.GROUP, **constants}
    kernel = getattr(kernels, name)
    names = kernel.arg_names
    kinds = {n: "constexpr" if n in constants else arguments(plan).get(n, INT) for n in names}
    values = {(names.index(n),): value for n, value in constants.items()}
    divisible = {(names.index(n),): [["tt.divisibility", 16]] for n in aligned}
    source = ASTSource(fn=kernel, signature=kinds, constexprs=values, attrs=divisible)
    return triton.compile(source, target=GPUTarget("cuda", HOPPER, 32), options=options).asm["ptx"]


def test_the_gemm_reaches_hoppers_tensor_cores():
    pointers = dict.fromkeys(("a", "b", "out"), HALF)
    aligned = ("a", "b", "out", "m", "n", "k", "a_row", "b_row")

    ptx = ptx_of("gemm_triton", lambda _: pointers, {"a_column": 1, "b_column": 1}, aligned)

    assert "wgmma.mma_async" in ptx


@pytest.mark.parametrize("transposed", [False, True])
def test_the_gemm_with_dense_rows_reaches_hoppers_copy_engine_too(transposed):
    def described(plan):
        m, n, k = plan["TILE_M"], plan["TILE_N"], plan["TILE_K"]
        tiles = {"a": (m, k), "b": (n, k) if transposed else (k, n), "out": (m, n)}
        return {name: f"tensordesc<bf16[{rows},{columns}]>" for name, (rows, columns) in tiles.items()}

    ptx = ptx_of("gemm_triton_tma", described, {"TRANSPOSED": transposed})

    assert "wgmma.mma_async" in ptx
    assert "cp.async.bulk.tensor" in ptx
