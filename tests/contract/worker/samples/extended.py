"""Torch extensions: one for the CPU, and CUDA sources that a dry run compiles and does not load."""

import ctypes
import shutil
import subprocess
from pathlib import Path

import torch
from torch.utils import cpp_extension

HERE = Path(__file__).parent / "extension"


def negated():
    return cpp_extension.load("negate", [str(HERE / "negate.cpp")]).negate(torch.ones(4))


def broken():
    cpp_extension.load("broken", [str(HERE / "broken.cpp")])


def built_only():
    cpp_extension.load("scale", [str(HERE / "scale.cu")])


def inline():
    cpp_extension.load_inline(
        "inline",
        cpp_sources="",
        cuda_sources='extern "C" __global__ void inline_kernel(int *x) { x[threadIdx.x] = 1; }',
        no_implicit_headers=True,
    )


def for_ampere():
    cpp_extension.load("ampere", [str(HERE / "scale.cu")], extra_cuda_cflags=["-gencode=arch=compute_80,code=sm_80"])


def called():
    return cpp_extension.load("called", [str(HERE / "scale.cu")]).scale(torch.empty(4, device="cuda"), 2.0)


def wrong():
    cpp_extension.load("wrong", [str(HERE / "wrong.cu")])


def prebuilt():
    """As the manifest's `build` leaves one beside the module; here it is built by nvcc itself, for two GPUs."""
    library = HERE.parent / "libscale.so"
    if not library.exists():
        codes = [f"-gencode=arch=compute_{sm},code=sm_{sm}" for sm in (80, 90)]
        command = [shutil.which("nvcc"), "-shared", "-Xcompiler", "-fPIC", *codes, HERE / "scale.cu", "-o", library]
        subprocess.run(command, check=True)
    ctypes.CDLL(str(library))
