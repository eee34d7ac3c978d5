"""
Kernels in CUDA C++, in a torch extension: built by torch.utils.cpp_extension when it is asked for, or beforehand by the
manifest's `build`, which needs no nvcc here.

What a library holds can be told, and not which of its kernels a call runs: all are told of, with a note. A dry run
compiles the CUDA sources of `load` and `load_inline` with the options that torch would use, and loads nothing.
"""

import functools
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from kgate.worker.adapters import Built, _cuda_dry, _cuda_libraries, _nvcc, missing
from kgate.worker.adapters._compilers import Tally, passed

PACKAGE = "torch"
EXTENSIONS = "torch.utils.cpp_extension"

tally = Tally()
compiles = tally.compiles
dry = _cuda_dry.dry


def available() -> str:
    """Neither nvcc nor a torch built with CUDA is asked for: a library may be there already, or be for the CPU."""
    return missing(PACKAGE)


def prepare() -> None:
    from torch.utils import cpp_extension

    if not tally.hooked:
        cpp_extension._run_ninja_build = counted(cpp_extension._run_ninja_build)
        tally.hooked = True


def counted(build: Any) -> Any:
    """Ninja is started for a library that is up to date too, and then builds nothing."""

    @functools.wraps(build)
    def counting(build_directory: str, verbose: bool, error_prefix: str) -> Any:
        before, began_ns, failed = libraries_in(build_directory), time.perf_counter_ns(), True
        try:
            # What is printed by a verbose build is missing from its error.
            build(build_directory, False, error_prefix)
            failed = False
        except RuntimeError as error:
            said = str(error).removeprefix(f"{error_prefix}: ")
            raise RuntimeError(f"{error_prefix}: {_nvcc.first_error(said)}\n{error}") from None
        finally:
            took_ns = time.perf_counter_ns() - began_ns
            changed = {path for path, at in libraries_in(build_directory).items() if before.get(path) != at}
            _cuda_libraries.built_here(build_directory, dict.fromkeys(changed, took_ns))
            if changed or failed:
                tally.add(took_ns)

    return counting


def libraries_in(folder: str) -> dict[Path, int]:
    """When each was last written, in ns."""
    return {path: path.stat().st_mtime_ns for path in Path(folder).glob("*.so")}


def is_compile_error(error: BaseException) -> bool:
    return bool(passed(error, EXTENSIONS))


def identity() -> Mapping[str, str]:
    return {"torch": version("torch")}


@contextmanager
def used() -> Iterator[list[Built]]:
    """Filled at the end, with every kernel of the libraries that are loaded by then."""
    told: list[Built] = []
    try:
        yield told
    finally:
        told += _cuda_libraries.kernels()


def tuned() -> Mapping[str, str]:
    return {}


def spaces() -> Mapping[str, Sequence[str]]:
    return {}


def freeze(picks: Mapping[str, str]) -> None:
    """CUDA C++ has no tuner of its own."""
