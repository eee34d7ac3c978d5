"""
Whether the parts of a machine go together: drivers, CUDA, compilers, GPUs. Facts of others, each with its source.

Every function gives a `Misfit`, or None where nothing speaks against it, also because a version is not known.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kgate.doctor.machine import Seen

Version = tuple[int, ...]

# CUDA major -> the oldest driver whose branch runs programs built with any release of it.
# Source: CUDA Compatibility, "Minor Version Compatibility", table 1 (docs.nvidia.com/deploy/cuda-compatibility).
DRIVERS: Mapping[int, str] = {11: "450", 12: "525", 13: "580"}
# Source: cuTile Python quickstart, prerequisites, and the package's own page for 1.7.0: "NVIDIA Driver r580 or later".
CUTILE_DRIVER = "580"
# tileiras from version -> majors of the compute capability that it compiles for.
# Sources: 13.1, the quickstart of its time (10.x, 12.x); 13.2, release notes of NVIDIA/cuda-tile v13.2.0 (8.X and 11.X
# as well); 13.3, JuliaGPU/cuTile.jl pull request 236, "Enable Hopper on CUDA 13.3".
TILEIRAS: Mapping[Version, frozenset[int]] = {
    (13, 1): frozenset({10, 12}),
    (13, 2): frozenset({8, 10, 11, 12}),
    (13, 3): frozenset({8, 9, 10, 11, 12}),
}
# Source: README of triton-lang/triton, compatibility: "NVIDIA GPUs (Compute Capability 8.0+)".
TRITON_CAPABILITY = (8, 0)
# Source: README of TileLang 0.1.15, supported targets: "code paths from SM70 through SM120".
TILELANG_CAPABILITY = (7, 0)
# Source: CUTLASS 4.8.1, CuTe DSL quick start: "for 12.9, the driver version must be 575.51.03 or later".
CUTEDSL_DRIVER = "575.51.03"
UPDATE = "install NVIDIA driver {} or newer"
NVCC = (
    "install the CUDA toolkit and set CUDA_HOME, or `pip install nvidia-cuda-nvcc nvidia-cuda-runtime nvidia-cuda-cccl`"
)


@dataclass(frozen=True, kw_only=True)
class Misfit:
    """`blocks`: the DSL's kernels do not run on a GPU like this, rather than may not."""

    text: str
    fix: str
    blocks: bool = True


def numbers(version: str) -> Version:
    """The numbers of a version: "13.0.88" is (13, 0, 88); () of none."""
    return tuple(int(digits) for digits in re.findall(r"\d+", version))


def older(version: str, needed: str) -> bool:
    """Whether a version that is known is the older one."""
    return bool(numbers(version)) and numbers(version) < numbers(needed)


def outdated(seen: Seen, what: str, cuda: str) -> Misfit | None:
    """The driver, for what is built with this version of CUDA."""
    needed = DRIVERS.get(numbers(cuda)[0], "") if numbers(cuda) else ""
    if not needed or not older(seen.driver, needed):
        return None
    text = f"{what} is of CUDA {cuda}, which needs driver r{needed} or later; this is {seen.driver}"
    return Misfit(text=text, fix=UPDATE.format(needed))


def below(seen: Seen, what: str, least: tuple[int, int]) -> Misfit | None:
    if not seen.capability or numbers(seen.capability) >= least:
        return None
    text = f"{what} supports compute capability {least[0]}.{least[1]} and later; this GPU has {seen.capability}"
    return Misfit(text=text, fix="run these kernels on a newer GPU")


def torch(seen: Seen) -> Misfit | None:
    return outdated(seen, "torch", seen.fact("torch-cuda")) or foreign_gpu(seen)


def foreign_gpu(seen: Seen) -> Misfit | None:
    """A GPU that torch holds neither machine code for, of its own major, nor PTX, of its own or an older one."""
    built, here = seen.fact("torch-architectures").split(), numbers(seen.capability)
    if not built or len(here) != 2:
        return None
    for name in built:
        kind, _, digits = name.rstrip("af").partition("_")
        own = (int(digits[:-1]), int(digits[-1])) if digits.isdecimal() and len(digits) > 1 else (0, 0)
        if own <= here and (own[0] == here[0] or kind == "compute"):
            return None
    text = f"torch is built for {' '.join(built)}, and not for compute capability {seen.capability}"
    return Misfit(text=text, fix="install a torch that is built for this GPU")


def cutile(seen: Seen) -> Misfit | None:
    tileiras = seen.fact("tileiras")
    if not tileiras:
        fix = "`pip install 'cuda-tile[tileiras]'` in the worker's environment, or install CUDA 13.1 or newer"
        return Misfit(text="its compiler tileiras is not here", fix=fix)
    if older(seen.driver, CUTILE_DRIVER):
        text = f"cuTile needs driver r{CUTILE_DRIVER} or later; this is {seen.driver}"
        return Misfit(text=text, fix=UPDATE.format(CUTILE_DRIVER))
    known = [majors for least, majors in TILEIRAS.items() if numbers(tileiras) >= least]
    if seen.capability and known and numbers(seen.capability)[0] not in known[-1]:
        enough = next((v for v, majors in TILEIRAS.items() if numbers(seen.capability)[0] in majors), None)
        fix = f"install tileiras {enough[0]}.{enough[1]} or newer" if enough else "run these kernels on another GPU"
        text = f"tileiras {tileiras} does not compile for compute capability {seen.capability}"
        return Misfit(text=text, fix=fix)
    return None


def triton(seen: Seen) -> Misfit | None:
    # ptxas decides which driver can load what Triton compiles; another serves GPUs from capability 10.0 on.
    newer = numbers(seen.capability) >= (10, 0) and seen.fact("triton-ptxas-blackwell")
    ptxas = newer or seen.fact("triton-ptxas")
    if not ptxas:
        return Misfit(text="its ptxas is not found", fix="install Triton anew, or name one with TRITON_PTXAS_PATH")
    return below(seen, "Triton", TRITON_CAPABILITY) or outdated(seen, "its ptxas", ptxas)


def tilelang(seen: Seen) -> Misfit | None:
    nvcc, cuda = seen.fact("nvcc"), seen.fact("torch-cuda")
    if not nvcc:
        return Misfit(text="it compiles for GPUs with nvcc, which is not here", fix=NVCC)
    if misfit := below(seen, "TileLang", TILELANG_CAPABILITY) or outdated(seen, "nvcc", nvcc):
        return misfit
    return apart(nvcc, cuda, "kgate was not tried with that", blocks=False)


def cuda(seen: Seen) -> Misfit | None:
    """Extensions in CUDA C++, which may be built already."""
    nvcc = seen.fact("nvcc")
    if not nvcc:
        return Misfit(text="nvcc is not here: no extension can be built, only used", fix=NVCC, blocks=False)
    # Source: torch/utils/cpp_extension.py, _check_cuda_version, which raises where the majors differ.
    return outdated(seen, "nvcc", nvcc) or apart(nvcc, seen.fact("torch-cuda"), "torch refuses to build with it")


def apart(nvcc: str, cuda: str, consequence: str, *, blocks: bool = True) -> Misfit | None:
    if not cuda or not nvcc or numbers(nvcc)[0] == numbers(cuda)[0]:
        return None
    text = f"nvcc is of CUDA {nvcc} and torch of {cuda}: {consequence}"
    return Misfit(text=text, fix=f"set CUDA_HOME to a toolkit of CUDA {numbers(cuda)[0]}", blocks=blocks)


def cutedsl(seen: Seen) -> Misfit | None:
    if not older(seen.driver, CUTEDSL_DRIVER):
        return None
    text = f"CuTe DSL needs driver {CUTEDSL_DRIVER} or later; this is {seen.driver}"
    return Misfit(text=text, fix=UPDATE.format(CUTEDSL_DRIVER))


# By the manifest's name of a DSL.
FITS: Mapping[str, Callable[[Seen], Misfit | None]] = {
    "torch": torch,
    "tilelang": tilelang,
    "triton": triton,
    "cutile": cutile,
    "cutedsl": cutedsl,
    "cuda": cuda,
}
