"""What TileLang kernels become for a Hopper GPU that is not there; `kgate compile` says that they compile."""

import dataclasses
import importlib
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.contract.gallery.conftest import wanted

tilelang = wanted("tilelang")
wanted("kgate_dispatch")

pytestmark = [pytest.mark.real, pytest.mark.filterwarnings("ignore")]

HOPPER, CAPABILITY, TALL = "sm_90a", 90, 4096  # rows of a product
NIGHTLY = "KGATE_NIGHTLY" in os.environ

# Kernel: factory, and its arguments, with a schedule's in place of its name.
ROWS = {
    "vector_add": ("vector_add", "on_cuda", ("bfloat16",)),
    "matrix_add": ("matrix_add", "on_cuda", (4096, 8192, 8192, "bfloat16")),
    "softmax": ("softmax", "on_cuda", (2048, "bfloat16")),
    "softmax wide": ("softmax", "on_cuda_wide", (128256, "bfloat16")),
    "rms_norm": ("rms_norm", "on_cuda", (4096, "bfloat16", 1e-6)),
    "gemm few": ("gemm", "few.on_cuda", (1, 4096, 14336, "bfloat16")),
    "gemm few transposed": ("gemm", "few.on_cuda_transposed", (4, 1000, 4104, "float16")),
}
PRODUCTS = {
    "gemm": ("gemm", "on_cuda", (4096, 4096, "bfloat16", False, "rows")),
    "attention": ("attention", "on_cuda", (32, 4, 128, "bfloat16", True, False, "heads")),
    "gemm transposed": ("gemm", "on_cuda", (4096, 14336, "float16", True, "rows")),
    "linear_gelu": ("linear_gelu", "on_cuda", (4608, 18432, "bfloat16", "rows")),
    "attention masked": ("attention", "on_cuda", (8, 4, 128, "bfloat16", True, True, "heads")),
    "fp8_gemm": ("fp8_gemm", "on_cuda", (7168, 4096, "rows")),
}
BACKWARD = {"rms_norm backward": ("rms_norm", "on_cuda_backward", (7168, "bfloat16", 1e-6))}
KEYS = ROWS | PRODUCTS | BACKWARD


def sampled(keys):
    """The first two; all of them at night."""
    return list(keys) if NIGHTLY else list(keys)[:2]


def source_of(key):
    """CUDA source of a key for Hopper."""
    from tilelang import tvm
    from tilelang.engine.lower import lower

    operator, factory, written = KEYS[key]
    module, _, factory = factory.rpartition(".")
    kernels = importlib.import_module(f"gallery.{operator}.tilelang_{module}")
    plan = {"rows": lambda: kernels.schedule(CAPABILITY, TALL), "heads": lambda: kernels.schedule(CAPABILITY)}
    plan = plan[written[-1]]() if written[-1] in plan else {}
    target = tvm.target.Target({"kind": "cuda", "arch": HOPPER})
    # A copy, for this architecture: the factory's own target is the GPU of the machine.
    jit = dataclasses.replace(getattr(kernels, factory), target=target)
    configs = {name.value: value for name, value in (jit.pass_configs or {}).items()}
    with tvm.transform.PassContext(opt_level=3, config=configs), target:
        function = jit.get_tir(*(written[:-1] if plan else written), **plan)
        return lower(function, target=target).kernel_source


@pytest.mark.parametrize("key", sampled(PRODUCTS))
def test_hopper_gets_its_tensor_cores_and_its_copy_engine(key):
    source = source_of(key)

    assert "tl::wgmma_" in source
    assert "tl::tma_load" in source


@pytest.mark.parametrize("key", sampled(ROWS))
def test_rows_of_halves_are_loaded_sixteen_bytes_at_a_time(key):
    assert "uint4" in source_of(key)


@pytest.mark.parametrize("key", sampled(KEYS))
def test_nothing_is_spilled_to_memory(cuda_home, tmp_path, key):
    root = Path(tilelang.__file__).parent
    (tmp_path / "kernel.cu").write_text(source_of(key))
    folders = (root / "src", root / "3rdparty" / "cutlass" / "include", cuda_home / "include")
    command = [cuda_home / "bin" / "nvcc", "-cubin", "-std=c++20", "-w", "-Xptxas", "-v", "--expt-relaxed-constexpr"]
    command += ["-gencode=arch=compute_90a,code=sm_90a", *(f"-I{folder}" for folder in folders)]

    done = subprocess.run(
        [*command, "kernel.cu", "-o", "kernel.cubin"], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    spilled = [int(found) for found in re.findall(r"(\d+) bytes spill", done.stderr + done.stdout)]
    assert spilled
    assert max(spilled) == 0
