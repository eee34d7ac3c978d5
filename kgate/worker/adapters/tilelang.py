"""
TileLang: kernels compile during import, setup or the first call, wherever the user's code asks for them.

Compilations are told apart by the one method that builds a kernel and is not run for one out of a cache.
"""

import functools
import os
import shutil
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

from kgate.worker.adapters import Built, Compiles, missing

PACKAGE = "tilelang"
BUILDS = "_compile_and_create_adapter"  # of tilelang.jit.kernel.JITKernel, 0.1.15
# Functions of TileLang below which only its frontend and compiler run, never a kernel.
COMPILING = {"compile", "par_compile", "get_tir", BUILDS}

tally: dict[str, int] = {}  # count and ns; empty until the hook is in place


def available() -> str:
    return missing(PACKAGE)


def prepare() -> None:
    # TileLang's C target asks for a C++ compiler unless CC is gcc.
    if "CC" not in os.environ and shutil.which("gcc"):
        os.environ["CC"] = "gcc"
    from tilelang.jit.kernel import JITKernel

    if not tally and hasattr(JITKernel, BUILDS):
        tally.update(count=0, ns=0)
        setattr(JITKernel, BUILDS, counted(getattr(JITKernel, BUILDS)))


def counted(build: Any) -> Any:
    @functools.wraps(build)
    def counting(*args: Any, **keywords: Any) -> Any:
        began_ns = time.perf_counter_ns()
        try:
            return build(*args, **keywords)
        finally:
            tally["count"] += 1
            tally["ns"] += time.perf_counter_ns() - began_ns

    return counting


def compiles() -> Compiles | None:
    return Compiles(count=tally["count"], ns=tally["ns"]) if tally else None


def is_compile_error(error: BaseException) -> bool:
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    return any(
        frame.f_code.co_name in COMPILING and str(frame.f_globals.get("__name__", "")).startswith("tilelang.")
        for frame in frames
    )


def identity() -> Mapping[str, str]:
    return {"tilelang": version("tilelang")}


@contextmanager
def used() -> Iterator[list[Built]]:
    yield []


@contextmanager
def dry(arch: str) -> Iterator[list[Built]]:
    yield []


def tuned() -> Mapping[str, str]:
    return {}


def freeze(picks: Mapping[str, str]) -> None:
    """No pick of TileLang's tuner is known yet."""
