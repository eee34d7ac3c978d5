"""
TileLang: kernels compile during import, setup or the first call, wherever the user's code asks for them.

Compilations are told apart by the one method that builds a kernel and is not run for one out of a cache.
"""

import functools
import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.metadata import version
from typing import Any

from kgate.worker.adapters import Built, _nvcc, _tilelang_dry, _tilelang_tuner, missing
from kgate.worker.adapters import _tilelang_kernels as kernels
from kgate.worker.adapters._compilers import Tally, passed
from kgate.worker.adapters._swaps import swapped

PACKAGE = "tilelang"
BUILDS = "_compile_and_create_adapter"  # of tilelang.jit.kernel.JITKernel, 0.1.15
# Functions of TileLang below which only its frontend and compiler run, never a kernel.
COMPILING = {"compile", "par_compile", "get_tir", BUILDS}
NVCC_SAYS = "\nCompilation error:\n"  # in an error of tilelang.contrib.nvcc, between the source and the messages

tally = Tally()
compiles = tally.compiles
dry = _tilelang_dry.dry


def available() -> str:
    return missing(PACKAGE)


def prepare() -> None:
    # TileLang's C target asks for a C++ compiler unless CC is gcc.
    if "CC" not in os.environ and shutil.which("gcc"):
        os.environ["CC"] = "gcc"
    from tilelang.autotuner.tuner import AutoTuner
    from tilelang.contrib import nvcc
    from tilelang.jit.kernel import JITKernel

    if not tally.hooked and hasattr(JITKernel, BUILDS):
        setattr(JITKernel, BUILDS, counted(getattr(JITKernel, BUILDS)))
        factory = import_module("tilelang.jit").JITImpl
        factory.compile = remembered(factory.compile)
        nvcc.compile_cuda = spoken(nvcc.compile_cuda)
        AutoTuner.run = _tilelang_tuner.steered(AutoTuner.run)
        tally.hooked = True


def counted(build: Any) -> Any:
    @functools.wraps(build)
    def counting(kernel: Any, *args: Any, **keywords: Any) -> Any:
        began_ns = time.perf_counter_ns()
        try:
            return build(kernel, *args, **keywords)
        finally:
            kernels.took_ns[kernel] = time.perf_counter_ns() - began_ns
            tally.add(kernels.took_ns[kernel])

    return counting


def remembered(compile_one: Any) -> Any:
    """With which arguments a `tilelang.jit` function made a kernel."""

    @functools.wraps(compile_one)
    def remembering(factory: Any, *args: Any, **keywords: Any) -> Any:
        kernel = compile_one(factory, *args, **keywords)
        with suppress(
            AttributeError, TypeError
        ):  # of a version that keeps or calls it otherwise: then they are not told
            bound = factory.signature.bind(*args, **keywords)
            bound.apply_defaults()
            kernels.arguments[kernel] = kernels.simple(bound.arguments)
        return kernel

    return remembering


def spoken(compile_cuda: Any) -> Any:
    """nvcc's first error in front: TileLang's message begins with the whole source, and one line is what people see."""

    @functools.wraps(compile_cuda)
    def speaking(*args: Any, **keywords: Any) -> Any:
        try:
            return compile_cuda(*args, **keywords)
        except RuntimeError as error:
            said = str(error).partition(NVCC_SAYS)[2]
            if not said:
                raise
            raise RuntimeError(f"nvcc: {_nvcc.first_error(said)}\n{error}") from None

    return speaking


def is_compile_error(error: BaseException) -> bool:
    return bool(COMPILING & passed(error, PACKAGE))


def identity() -> Mapping[str, str]:
    return {"tilelang": version("tilelang")}


@contextmanager
def used() -> Iterator[list[Built]]:
    """Filled at the end, so that what is asked of a kernel takes no time of the call."""
    from tilelang.jit.kernel import JITKernel

    seen: dict[Any, None] = {}
    told: list[Built] = []
    call = JITKernel.__call__

    def calling(kernel: Any, *args: Any, **keywords: Any) -> Any:
        seen[kernel] = None
        return call(kernel, *args, **keywords)

    try:
        with swapped(JITKernel, __call__=calling):
            yield told
    finally:
        told += [one for kernel in seen for one in kernels.built(kernel)]


def tuned() -> Mapping[str, str]:
    return dict(_tilelang_tuner.picks)


def spaces() -> Mapping[str, Sequence[str]]:
    return _tilelang_tuner.listings


def freeze(picks: Mapping[str, str]) -> None:
    _tilelang_tuner.frozen.update(picks)
