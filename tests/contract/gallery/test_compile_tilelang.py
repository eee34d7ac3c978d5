"""The TileLang kernels, lowered to CUDA source and compiled to machine code for GPUs that are not there."""

import dataclasses
import importlib
import re
import subprocess
from pathlib import Path

import pytest

pytestmark = [pytest.mark.real, pytest.mark.filterwarnings("ignore")]

AMPERE, HOPPER = "sm_80", "sm_90a"
SHARED_LIMIT = {AMPERE: 163 << 10, HOPPER: 227 << 10}  # bytes of shared memory that a block may have

# Kernel: factory, its arguments with a schedule's place as None, and what its name must be.
KEYS = {
    "vector_add": ("vector_add", "on_cuda", ("bfloat16",), "vector_add_tilelang_kernel"),
    "vector_add float32": ("vector_add", "on_cuda", ("float32",), "vector_add_tilelang_kernel"),
    "matrix_add": ("matrix_add", "on_cuda", (4096, 8192, 8192, "bfloat16"), "matrix_add_tilelang_kernel"),
    "matrix_add odd": ("matrix_add", "on_cuda", (1001, 1008, 1016, "float16"), "matrix_add_tilelang_kernel"),
    "softmax": ("softmax", "on_cuda", (2048, "bfloat16"), "softmax_tilelang_kernel"),
    "softmax odd": ("softmax", "on_cuda", (257, "float16"), "softmax_tilelang_kernel"),
    "softmax one": ("softmax", "on_cuda", (1, "float32"), "softmax_tilelang_kernel"),
    "softmax wide": ("softmax", "on_cuda_wide", (128256, "bfloat16"), "softmax_tilelang_wide_kernel"),
    "rms_norm": ("rms_norm", "on_cuda", (4096, "bfloat16", 1e-6), "rms_norm_tilelang_kernel"),
    "rms_norm wide": ("rms_norm", "on_cuda", (7168, "bfloat16", 1e-6), "rms_norm_tilelang_kernel"),
    "rms_norm odd": ("rms_norm", "on_cuda", (1001, "float32", 1e-6), "rms_norm_tilelang_kernel"),
    "rms_norm backward": (
        "rms_norm",
        "on_cuda_backward",
        (7168, "bfloat16", 1e-6),
        "rms_norm_backward_tilelang_kernel",
    ),
    "gemm": ("gemm", "on_cuda", (4096, 4096, "bfloat16", False, "tall"), "gemm_tilelang_kernel"),
    "gemm transposed": ("gemm", "on_cuda", (4096, 14336, "float16", True, "tall"), "gemm_tilelang_kernel"),
    "gemm flat": ("gemm", "on_cuda", (4096, 14336, "bfloat16", False, "flat"), "gemm_tilelang_kernel"),
    "gemm few": ("gemm", "few.on_cuda", (1, 4096, 14336, "bfloat16"), "gemm_tilelang_few_kernel"),
    "gemm few transposed": ("gemm", "few.on_cuda_transposed", (4, 1000, 4104, "float16"), "gemm_tilelang_few_kernel"),
    "gemm ragged": ("gemm", "on_cuda", (1000, 4104, "bfloat16", False, "tall"), "gemm_tilelang_kernel"),
    "gemm odd": ("gemm", "on_cuda", (333, 257, "float16", False, "tall"), "gemm_tilelang_kernel"),
    "linear_gelu": ("linear_gelu", "on_cuda", (4608, 18432, "bfloat16", "tall"), "linear_gelu_tilelang_kernel"),
    "linear_gelu flat": ("linear_gelu", "on_cuda", (4608, 18432, "bfloat16", "flat"), "linear_gelu_tilelang_kernel"),
    "linear_gelu few": ("linear_gelu", "on_cuda_few", (1, 4608, 18432, "bfloat16"), "linear_gelu_tilelang_few_kernel"),
    "attention": ("attention", "on_cuda", (32, 4, 128, "bfloat16", True, False, "tiles"), "attention_tilelang_kernel"),
    "attention full": (
        "attention",
        "on_cuda",
        (8, 4, 64, "float16", False, False, "tiles"),
        "attention_tilelang_kernel",
    ),
    "attention masked": (
        "attention",
        "on_cuda",
        (8, 4, 128, "bfloat16", True, True, "tiles"),
        "attention_tilelang_masked_kernel",
    ),
    "fp8_gemm": ("fp8_gemm", "on_cuda", (7168, 4096, "tall"), "fp8_gemm_tilelang_kernel"),
    "fp8_gemm flat": ("fp8_gemm", "on_cuda", (7168, 4096, "flat"), "fp8_gemm_tilelang_kernel"),
    "fp8_gemm odd": ("fp8_gemm", "on_cuda", (333, 257, "tall"), "fp8_gemm_tilelang_kernel"),
}
TENSOR_CORES = ("gemm", "gemm transposed", "linear_gelu", "attention", "attention masked", "fp8_gemm")
MACHINE_CODE = ("vector_add", "softmax", "rms_norm", "rms_norm backward", *TENSOR_CORES)


@pytest.fixture(scope="module")
def tilelang():
    return pytest.importorskip("tilelang", reason="not run: tilelang is not installed", exc_type=ImportError)


def plan_of(kernels, name, architecture):
    capability = int(re.sub(r"\D", "", architecture))
    if name == "tiles":
        return kernels.schedule(capability)
    return kernels.schedule(capability, 4096 if name == "tall" else 1)


def source_of(key, architecture):
    """CUDA source of a key for an architecture."""
    from tilelang import tvm
    from tilelang.engine.lower import lower

    operator, factory, written, _ = KEYS[key]
    module, _, factory = factory.rpartition(".")
    kernels = importlib.import_module(f"gallery.{operator}.tilelang_{module}")
    plan = plan_of(kernels, written[-1], architecture) if written[-1] in ("tall", "flat", "tiles") else {}
    target = tvm.target.Target({"kind": "cuda", "arch": architecture})
    # A copy, for this architecture: the factory's own target is the GPU of the machine.
    jit = dataclasses.replace(getattr(kernels, factory), target=target)
    configs = {name.value: value for name, value in (jit.pass_configs or {}).items()}
    with tvm.transform.PassContext(opt_level=3, config=configs), target:
        function = jit.get_tir(*(written[:-1] if plan else written), **plan)
        return lower(function, target=target).kernel_source


def shared_bytes(source):
    """The farthest byte that a buffer starts at; TileLang lays them out in one block of shared memory."""
    return max((int(found) for found in re.findall(r"buf_dyn_shmem \+ (\d+)\)", source)), default=0)


@pytest.mark.parametrize("architecture", [AMPERE, HOPPER])
@pytest.mark.parametrize("key", KEYS)
def test_every_kernel_lowers_and_keeps_the_name_that_proves_its_path(tilelang, key, architecture):
    if key.startswith("fp8") and architecture == AMPERE:
        pytest.skip("not run: Ampere has no 8-bit floats, and the dispatcher takes torch")

    source = source_of(key, architecture)

    assert 'extern "C" __global__ void __launch_bounds__' in source
    assert f" {KEYS[key][3]}(" in source
    assert shared_bytes(source) < SHARED_LIMIT[architecture]


@pytest.mark.parametrize("key", TENSOR_CORES)
def test_hopper_gets_its_tensor_cores_and_its_copy_engine(tilelang, key):
    source = source_of(key, HOPPER)

    assert "tl::wgmma_" in source
    assert "tl::tma_load" in source


@pytest.mark.parametrize("key", ["vector_add", "matrix_add", "softmax", "rms_norm", "softmax wide", "gemm few"])
def test_rows_of_halves_are_loaded_sixteen_bytes_at_a_time(tilelang, key):
    assert "uint4" in source_of(key, HOPPER)


@pytest.mark.parametrize("key", MACHINE_CODE)
def test_nvcc_makes_machine_code_without_spilling(tilelang, cuda_home, tmp_path, key):
    root = Path(tilelang.__file__).parent
    (tmp_path / "kernel.cu").write_text(source_of(key, HOPPER))
    folders = (root / "src", root / "3rdparty" / "cutlass" / "include", cuda_home / "include")
    command = [cuda_home / "bin" / "nvcc", "-cubin", "-std=c++20", "-w", "-Xptxas", "-v", "--expt-relaxed-constexpr"]
    command += ["-gencode=arch=compute_90a,code=sm_90a", *(f"-I{folder}" for folder in folders)]

    done = subprocess.run(
        [*command, "kernel.cu", "-o", "kernel.cubin"], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "kernel.cubin").read_bytes()[:4] == b"\x7fELF"
    # The persistent product keeps one register of four bytes in memory, once a tile and outside of its loops.
    spilled = [int(found) for found in re.findall(r"(\d+) bytes spill", done.stderr + done.stdout)]
    assert spilled
    assert max(spilled) <= (4 if key == "linear_gelu" else 0)
