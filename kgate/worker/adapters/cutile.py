"""
cuTile: kernels compile in the first launch for each specialisation of their arguments.

`compile_tile` makes every kernel, or finds it in the cache on disk; only where it compiles does it start tileiras
through `compile_cubin`. Seen with cuda-tile 1.7.0.
"""

import functools
import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

from kgate.worker.adapters import Built, _cutile_dry, _cutile_tuner, missing
from kgate.worker.adapters import _cutile_kernels as kernels
from kgate.worker.adapters._compilers import Meter, Tally, passed, version_of

PACKAGE = "cuda.tile"

tally = Tally()
meter = Meter(tally)

compiles = tally.compiles
dry = _cutile_dry.dry
tuned = _cutile_tuner.tuned
spaces = _cutile_tuner.spaces
freeze = _cutile_tuner.freeze


def available() -> str:
    # `cuda` is a package that several distributions share; it may be absent altogether.
    return missing("cuda") or missing(PACKAGE)


def prepare() -> None:
    import cuda.tile as ct
    from cuda.tile import _compile as compiler
    from cuda.tile._cext import default_tile_context
    from cutile_cache._env import get_cache_dir_from_env

    # Read once, at import, which a child forked from a zygote has behind it when it hears which folder is its arm's.
    default_tile_context.config.cache_dir = get_cache_dir_from_env()
    if not tally.hooked:
        compiler.compile_tile = counted(compiler.compile_tile)
        compiler.compile_cubin = marked(compiler.compile_cubin)
        ct.tune.exhaustive_search = _cutile_tuner.steered(ct.tune.exhaustive_search)
        tally.hooked = True


def counted(compile_tile: Any) -> Any:
    parameters = inspect.signature(compile_tile)

    @functools.wraps(compile_tile)
    def counting(*args: Any, **keywords: Any) -> Any:
        called = parameters.bind(*args, **keywords)
        called.apply_defaults()
        called.arguments["return_bytecode"] = True  # made in any case
        with meter.metered() as taken_ns:
            try:
                result = compile_tile(*called.args, **called.kwargs)
            except Exception as error:
                meter.compiling()
                speak(error)
                raise
            kernels.remember(called.arguments, result, taken_ns())
            return result

    return counting


def speak(error: BaseException) -> None:
    """The reason in front of tileiras' exit code: one line of a message is what people see."""
    from cuda.tile._exception import TileCompilerExecutionError

    if isinstance(error, TileCompilerExecutionError):
        first, _, reason = error.message.partition("\n")
        error.message = f"{reason}\n{first}" if reason else first


def marked(compile_cubin: Any) -> Any:
    @functools.wraps(compile_cubin)
    def marking(*args: Any, **keywords: Any) -> Any:
        meter.compiling()
        return compile_cubin(*args, **keywords)

    return marking


def is_compile_error(error: BaseException) -> bool:
    return "compile_tile" in passed(error, "cuda.tile._compile")


def identity() -> Mapping[str, str]:
    """tileiras is no part of cuda-tile: it is of a package of its own, or of a CUDA toolkit."""
    from cuda.tile import _compile as compiler

    found = {"cutile": version("cuda-tile")}
    try:
        tileiras = version_of(compiler._find_compiler_bin().path)
    except OSError:
        tileiras = ""
    return {**found, "tileiras": tileiras} if tileiras else found


@contextmanager
def used() -> Iterator[list[Built]]:
    """Filled at the end, so that telling takes no time of the call. What the tuner tries is not told."""
    from cuda.tile import launch

    seen: dict[kernels.Key, None] = {}
    told: list[Built] = []

    @functools.wraps(launch)
    def launching(stream: Any, grid: Any, kernel: Any, args: Any, /, **keywords: Any) -> Any:
        result = launch(stream, grid, kernel, args, **keywords)
        seen.setdefault(kernels.key_of(kernel, args))
        return result

    try:
        with kernels.named_instead(launch, launching):
            yield told
    finally:
        told += [kernels.built(key) for key in seen if key in kernels.remembered]
