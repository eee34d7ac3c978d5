"""
CuTe DSL (package nvidia-cutlass-dsl, read in 4.8.1): `cute.compile`, or the first call of a `cute.jit` function.

Tried without a GPU: what is compiled, its machine code, and dry runs. Not tried on one: which compiled functions a call
runs, and a forked child's first call.
"""

import functools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from kgate.worker.adapters import Built, _cutedsl_dry, missing
from kgate.worker.adapters import _cutedsl_functions as functions
from kgate.worker.adapters._compilers import Meter, Tally, passed
from kgate.worker.adapters._swaps import swapped

PACKAGE = "cutlass"
DISTRIBUTION = "nvidia-cutlass-dsl"
COMPILING = {"_compile", "generate_original_ir", "compile_and_cache"}  # of its frontend and compiler
RUNNING = "run_compiled_program"

tally = Tally()
meter = Meter(tally)

compiles = tally.compiles
dry = _cutedsl_dry.dry


def available() -> str:
    """The package has the same name as the Python interface of CUTLASS 3, which is another one."""
    if reason := missing(PACKAGE):
        return f"{reason} (pip: {DISTRIBUTION})"
    try:
        version(DISTRIBUTION)
    except PackageNotFoundError:
        return f"cutlass is installed, and is not that of {DISTRIBUTION}"
    return ""


def prepare() -> None:
    import cutlass.cute  # noqa: F401  makes the rest importable
    from cutlass.base_dsl.compile_backend import CompilerBackend
    from cutlass.base_dsl.dsl import BaseDSL

    if not tally.hooked:
        CompilerBackend._record_cache_miss = marked(CompilerBackend._record_cache_miss)
        CompilerBackend.compile = counted(CompilerBackend.compile)
        BaseDSL._func_impl = spoken(BaseDSL._func_impl)
        tally.hooked = True


def marked(record: Any) -> Any:
    @functools.wraps(record)
    def marking(*args: Any) -> Any:
        meter.compiling()
        return record(*args)

    return marking


def counted(compile_one: Any) -> Any:
    """Without the time of tracing, which is Python's and is not cached."""

    @functools.wraps(compile_one)
    def counting(backend: Any, context: Any) -> Any:
        with meter.metered() as taken_ns:
            function = compile_one(backend, context)
            options = " ".join(backend._dsl.compile_options.to_str().split())
            functions.keep(function, backend._resolve_compile_gpu_arch(), taken_ns(), options)
            return function

    return counting


def spoken(trace: Any) -> Any:
    """The reason in front: messages of CuTe DSL begin with an empty line, and one line is what people see."""

    @functools.wraps(trace)
    def speaking(*args: Any, **keywords: Any) -> Any:
        from cutlass.base_dsl.common import DSLBaseError

        try:
            return trace(*args, **keywords)
        except DSLBaseError as error:
            reason = " ".join(str(getattr(error, "message", "")).split())
            if reason and not str(error).startswith(reason):
                error.args = (f"{reason}\n{error}",)
            raise

    return speaking


def is_compile_error(error: BaseException) -> bool:
    names = passed(error, "cutlass.base_dsl")
    return bool(names & COMPILING) and RUNNING not in names


def identity() -> Mapping[str, str]:
    return {DISTRIBUTION: version(DISTRIBUTION)}


@contextmanager
def used() -> Iterator[list[Built]]:
    """Filled at the end, with what was compiled or run."""
    from cutlass.base_dsl.jit_executor import JitExecutor

    told: list[Built] = []
    run = JitExecutor.run_compiled_program

    def running(executor: Any, arguments: Any) -> Any:
        heard.hear(functions.of_engine(executor.jit_module.engine))
        return run(executor, arguments)

    def calling(call: Any) -> Any:
        def called(function: Any, *args: Any, **keywords: Any) -> Any:
            heard.hear(functions.made_of(function))
            return call(function, *args, **keywords)

        return called

    try:
        with ExitStack() as stack:
            heard = stack.enter_context(functions.listening())
            stack.enter_context(swapped(JitExecutor, run_compiled_program=running))
            for owner in functions.tvm_ffi_classes():
                stack.enter_context(swapped(owner, __call__=calling(owner.__call__)))
            yield told
    finally:
        told += heard.built()


def tuned() -> Mapping[str, str]:
    """Nothing: `cute.testing.autotune_jit` keeps what it picks to itself."""
    return {}


def spaces() -> Mapping[str, Sequence[str]]:
    return {}


def freeze(picks: Mapping[str, str]) -> None:
    """No pick of CuTe DSL's tuner is known."""
