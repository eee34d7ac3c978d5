"""What a worker may see of the gate's environment: an allow-list, private compile caches, a pinned allocator."""

import os
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Final

from kgate.model import Arm
from kgate.runner.place import Workplace
from kgate.withheld import withheld

ALLOWED: Final = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_*", "TZ", "TMPDIR", "XDG_CACHE_HOME"),
    *("LD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH", "CC", "CXX", "VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH"),
    *("CUDA_*", "NVIDIA_*", "CUDNN_*", "NVCC_*", "TORCH_*", "PYTORCH_*", "TILELANG_*", "TVM_*", "TRITON_*"),
    *("CUTE_DSL_*", "CUTE_EXPERIMENTAL_DSL_*"),
    *("OMP_*", "KMP_*", "MKL_*", "OPENBLAS_*", "GOMP_*"),
)
# A compile cache shared between arms would let one arm answer with the other's kernel, and one left from an earlier
# run would hide what compiling costs.
CACHES: Final = (
    *("TILELANG_CACHE_DIR", "TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR", "CUDA_TILE_CACHE_DIR"),
    *("CUDA_CACHE_PATH", "TORCH_EXTENSIONS_DIR", "CUTE_DSL_CACHE_DIR", "CUTE_EXPERIMENTAL_DSL_CACHE_DIR"),
)
# glibc moves its own thresholds with every large free, so the same code in two processes may or may not take fresh
# pages for each tensor: a factor of up to 3.3 between them. Setting any of these switches the moving off (mallopt(3)).
ALLOCATOR: Final = {
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),  # the most that glibc before 2.35 takes; above it every block is mapped
    "MALLOC_TRIM_THRESHOLD_": str(1 << 30),  # freed memory stays, up to 1 GiB, so that later calls find warm pages
    "MALLOC_TOP_PAD_": str(64 << 20),  # the heap grows in steps that hold two of the largest unmapped blocks
    # Huge pages for the heap, where the kernel has them on request: which small pages a process gets is luck, and it
    # keeps them for life (7 cases, 14 launches each: spread of head/base 2.8 % without, 2.1 % with, on the mean).
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
}
# Threads that meet at barriers measure whoever else uses the machine: with one busy neighbour on two cores, the ratio
# of a TileLang kernel to torch had intervals of up to ±1195 % with two threads, and of ±1 to ±12 % with one. What the
# caller's environment says wins, and the number of threads is part of the fingerprint.
ONE_THREAD: Final = "1"


def worker_environment(workplace: Workplace, arm: Arm, surroundings: Mapping[str, str] = os.environ) -> dict[str, str]:
    """All variables of a worker of this arm but KGATE_LIFELINE, which is added where the pipe is made."""
    patterns = (*ALLOWED, *workplace.pass_env)
    chosen = {n: v for n, v in surroundings.items() if matches(n, patterns) and not withheld(n)}
    chosen.update(cache_variables(workplace, arm))
    chosen.setdefault("CC", "gcc")  # TileLang's C target looks for a C++ compiler otherwise
    chosen["PYTHONDONTWRITEBYTECODE"] = "1"  # the trees are the user's, and base's must stay as it was checked out
    if workplace.device == "cpu":
        chosen.update(ALLOCATOR)
        chosen.setdefault("OMP_NUM_THREADS", ONE_THREAD)
    return chosen


def cache_variables(workplace: Workplace, arm: Arm) -> dict[str, str]:
    """Also in every job, since arms that share a zygote share its environment but not its caches."""
    return {name: str(workplace.caches(arm).absolute() / name.lower()) for name in CACHES}


def refused(names: Iterable[str]) -> tuple[str, ...]:
    """Those of the manifest's `env` names that no worker is given, to be said in the report."""
    return tuple(n for n in names if withheld(n))


def matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
