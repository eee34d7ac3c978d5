"""
Triton: kernels compile in the first call for each specialisation of their arguments.

`triton.compiler.compile` makes every kernel, or finds it in the cache on disk; only where it compiles does it ask its
backend for stages. Seen with Triton 3.6 and 3.9.
"""

import functools
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kgate.worker.adapters import Built, _triton_dry, _triton_tuner, missing
from kgate.worker.adapters import _triton_kernels as kernels
from kgate.worker.adapters._compilers import Meter, Tally, passed, version_of
from kgate.worker.adapters._swaps import swapped

PACKAGE = "triton"

tally = Tally()
meter = Meter(tally)

compiles = tally.compiles
dry = _triton_dry.dry
tuned = _triton_tuner.tuned
spaces = _triton_tuner.spaces
freeze = _triton_tuner.freeze


def available() -> str:
    return missing(PACKAGE)


def prepare() -> None:
    import triton
    from triton.backends.nvidia.compiler import CUDABackend
    from triton.runtime.autotuner import Autotuner

    if not tally.hooked:
        triton.compile = triton.compiler.compile = counted(triton.compiler.compile)
        CUDABackend.add_stages = marked(CUDABackend.add_stages)
        Autotuner.run = _triton_tuner.steered(Autotuner.run)
        tally.hooked = True


def counted(compile_one: Any) -> Any:
    @functools.wraps(compile_one)
    def counting(*args: Any, **keywords: Any) -> Any:
        with meter.metered() as taken_ns:
            try:
                kernel = compile_one(*args, **keywords)
            except Exception as error:
                speak(error)
                raise
            if (ns := taken_ns()) is not None:
                kernels.took_ns[kernel.hash] = ns
            return kernel

    return counting


def speak(error: BaseException) -> None:
    """The reason in front: Triton's messages begin with lines of source, and one line is what people see."""
    from triton.compiler.errors import CompilationError
    from triton.runtime.errors import PTXASError

    if isinstance(error, PTXASError):
        said = (error.error_message or "").splitlines()
        reason = next((line.strip() for line in said if "fatal" in line or "error   :" in line), "")
        error.error_message = f"{reason}\n{error.error_message}" if reason else error.error_message
    elif isinstance(error, CompilationError):
        inner: BaseException | None = error
        while isinstance(inner, CompilationError) and not inner.error_message:
            inner = inner.__cause__
        error.message = f"{getattr(inner, 'error_message', None) or inner}\n{error.message}"


def marked(add_stages: Any) -> Any:
    @functools.wraps(add_stages)
    def marking(*args: Any, **keywords: Any) -> Any:
        meter.compiling()
        return add_stages(*args, **keywords)

    return marking


def is_compile_error(error: BaseException) -> bool:
    return "compile" in passed(error, "triton.compiler.compiler")


def identity() -> Mapping[str, str]:
    """Triton brings its own ptxas, but takes another where it is told to. Both for GPUs up to sm_90 and after."""
    found = {"triton": version("triton")}
    for tool, name in (("ptxas", "TRITON_PTXAS_PATH"), ("ptxas-blackwell", "TRITON_PTXAS_BLACKWELL_PATH")):
        if said := version_of(os.environ.get(name) or bundled(tool)):
            found[f"triton-{tool}"] = said
    return found


def bundled(tool: str) -> str:
    package = find_spec(PACKAGE)
    return str(Path(package.origin).parent / "backends" / "nvidia" / "bin" / tool) if package and package.origin else ""


@contextmanager
def used() -> Iterator[list[Built]]:
    """Filled at the end, so that telling takes no time of the call. What the autotuner tries is not told."""
    from triton.runtime.autotuner import Autotuner
    from triton.runtime.jit import JITFunction

    seen: dict[str, Any] = {}
    told: list[Built] = []
    run, bench = JITFunction.run, Autotuner._bench

    def running(function: Any, *args: Any, **keywords: Any) -> Any:
        kernel = run(function, *args, **keywords)
        if kernel is not None and not keywords.get("warmup"):
            seen.setdefault(kernel.hash, kernel)
        return kernel

    def trying(tuner: Any, *args: Any, **keywords: Any) -> Any:
        with swapped(JITFunction, run=run):
            return bench(tuner, *args, **keywords)

    try:
        with swapped(JITFunction, run=running), swapped(Autotuner, _bench=trying):
            yield told
    finally:
        told += [kernels.built(kernel) for kernel in seen.values()]
