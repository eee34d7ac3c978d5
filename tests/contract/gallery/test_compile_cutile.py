"""The cuTile kernels, compiled to machine code by tileiras for GPUs that are not there."""

import importlib
import shutil

import pytest

pytestmark = [pytest.mark.real, pytest.mark.filterwarnings("ignore")]

ARCHITECTURES = ("sm_80", "sm_90", "sm_100")
ALIGNED = 16  # bytes

# Kernel: ranks of its arrays, then its constants. "odd" has rows that are no multiple of 16 bytes.
KEYS = {
    "vector_add": ("vector_add", "vector_add_cutile", (1, 1, 1), (2048,), "plain"),
    "vector_add ragged": ("vector_add", "vector_add_cutile_ragged", (1,) * 6, (2048,), "plain"),
    "matrix_add": ("matrix_add", "matrix_add_cutile", (2, 2, 2), (2, 1024), "plain"),
    "matrix_add odd": ("matrix_add", "matrix_add_cutile", (2, 2, 2), (2, 1024), "odd"),
    "softmax": ("softmax", "softmax_cutile", (2, 2), (1, 2048), "plain"),
    "softmax odd": ("softmax", "softmax_cutile", (2, 2), (4, 512), "odd"),
    "softmax wide": ("softmax", "softmax_cutile_wide", (2, 2), (4096,), "plain"),
    "gemm": ("gemm", "gemm_cutile", (2, 2, 2), ("tall", 8, False), "plain"),
    "gemm transposed": ("gemm", "gemm_cutile", (2, 2, 2), ("tall", 8, True), "plain"),
    "gemm flat": ("gemm", "gemm_cutile", (2, 2, 2), ("flat", 8, True), "plain"),
    "gemm row": ("gemm", "gemm_cutile_row", (2, 2, 2), (64, 128, False), "plain"),
    "gemm row transposed": ("gemm", "gemm_cutile_row", (2, 2, 2), (16, 256, True), "plain"),
    "gemm odd": ("gemm", "gemm_cutile", (2, 2, 2), ("tall", 8, False), "odd"),
    "linear_gelu": ("linear_gelu", "linear_gelu_cutile", (2, 2, 1, 2), ("tall", 8), "plain"),
    "linear_gelu row": ("linear_gelu", "linear_gelu_cutile_row", (2, 2, 1, 2), (16, 256), "plain"),
    "attention": ("attention", "attention_cutile", (4, 4, 4, 2, 4), (4, 128, "tiles", True, False), "plain"),
    "attention masked": ("attention", "attention_cutile", (4, 4, 4, 2, 4), (4, 64, "tiles", True, True), "plain"),
}


@pytest.fixture(scope="module")
def compilation():
    module = pytest.importorskip("cuda.tile.compilation", reason="not run: cuda-tile is not installed")
    if not shutil.which("tileiras") and not importlib.util.find_spec("nvidia.cu13"):
        pytest.skip("not run: tileiras is not here (pip: nvidia-cuda-tileiras, nvidia-nvvm, nvidia-cuda-nvcc)")
    return module


def constants(operator, written, capability):
    """The constants of a key, with a schedule's name replaced by its tile; and the compiler hints of that schedule."""
    kernels = importlib.import_module(f"gallery.{operator}.cutile_")
    found, hints = [], {}
    for value in written:
        if value in ("tall", "flat", "tiles"):
            plan = kernels.schedule(capability, 4096 if value == "tall" else 1) if value != "tiles" else None
            plan = plan or kernels.schedule(capability)
            found += plan["tile"]
            hints = plan["hints"]
        else:
            found.append(value)
    return found, hints


def array(compilation, rank, element_bytes, odd):
    """A dense array of bfloat16 (or bytes), as a launch would describe it."""
    import cuda.tile as ct

    steps = ALIGNED // element_bytes
    return compilation.ArrayConstraint(
        ct.bfloat16 if element_bytes == 2 else ct.uint8,
        rank,
        index_dtype=ct.int32,
        stride_lower_bound_incl=0,
        alias_groups=(),
        may_alias_internally=False,
        stride_constant=(None,) * (rank - 1) + (1,),
        stride_divisible_by=(1 if odd else steps,) * (rank - 1) + (1,),
        base_addr_divisible_by=ALIGNED,
    )


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("key", KEYS)
def test_every_kernel_compiles_and_keeps_the_name_that_proves_its_path(compilation, tmp_path, key, architecture):
    operator, name, ranks, written, form = KEYS[key]
    values, hints = constants(operator, written, int(architecture.removeprefix("sm_")))
    kernel = getattr(importlib.import_module(f"gallery.{operator}.cutile_"), name)
    kernel = kernel.replace_hints(**hints) if hints else kernel
    # The mask, fourth of attention's arrays, holds bytes.
    widths = [1 if operator == "attention" and index == 3 else 2 for index in range(len(ranks))]
    arrays = [array(compilation, rank, width, form == "odd") for rank, width in zip(ranks, widths, strict=True)]
    parameters = [*arrays, *map(compilation.ConstantConstraint, values)]
    signature = compilation.KernelSignature(parameters, compilation.CallingConvention.cutile_python_v1())
    file = tmp_path / "kernel.cubin"

    compilation.export_kernel(kernel, [signature], file, gpu_code=architecture, output_format="cubin")

    code = file.read_bytes()
    assert code[:4] == b"\x7fELF"
    assert f".text.{name}".encode() in code
