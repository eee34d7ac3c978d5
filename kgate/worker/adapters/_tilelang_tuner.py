"""
TileLang's autotuner, told which configuration to take.

A key is the tuned function with its arguments; a pick is the text of one of the configurations that its decorator
lists, so that a pick which is no longer listed is not taken, and the tuner times as ever. What depends on where an
object lies in memory has no text that means the same in two processes, and is neither told nor frozen.
"""

import functools
from collections.abc import Callable, Mapping
from typing import Any

from kgate.worker.adapters import _tilelang_kernels as kernels

OPTIONS = "pass_configs"  # the one entry of a configuration that is no argument of the function
ADDRESS = " at 0x"

picks: dict[str, str] = {}  # made by timing or taken from `frozen`, in this process
listings: dict[str, list[str]] = {}  # by the keys of `picks`, what they were picked from
frozen: dict[str, str] = {}
Run = Callable[..., Any]
Configuration = Mapping[str, Any]


def steered(run: Run) -> Run:
    """AutoTuner.run (0.1.15): what it picks is kept, and where a pick is frozen nothing is timed."""

    @functools.wraps(run)
    def running(tuner: Any, *args: Any, **keywords: Any) -> Any:
        pick = frozen_pick(tuner)
        result = run(tuner, *args, **keywords) if pick is None else taken(tuner, pick)
        key = key_of(tuner)
        if key and result.config and ADDRESS not in text_of(result.config):
            picks[key] = text_of(result.config)
            listings[key] = [text_of(configuration) for configuration in configurations(tuner)]
        return result

    return running


def untimed(tuner: Any, *args: Any, **keywords: Any) -> Any:
    """In place of AutoTuner.run where there is no GPU: the frozen pick, else the first configuration, with a note."""
    listed = configurations(tuner)
    if chosen_by_caller(tuner, listed[0]):
        return taken(tuner, {})
    pick = frozen_pick(tuner)
    result = taken(tuner, listed[0] if pick is None else pick)
    if pick is None:
        caveat = f"the first of {len(listed)} configurations: its tuner needs the GPU to choose"
        kernels.caveats[result.kernel] = caveat
    return result


def frozen_pick(tuner: Any) -> Configuration | None:
    wanted = frozen.get(key_of(tuner))
    listed = configurations(tuner) if wanted is not None else []
    return next((configuration for configuration in listed if text_of(configuration) == wanted), None)


def taken(tuner: Any, configuration: Configuration) -> Any:
    """As the tuner itself does where a caller names the tuned arguments; without a latency."""
    from tilelang.autotuner.param import AutotuneResult

    compile_one, tuner.jit_elaborate = tuner._ensure_jit_functions()
    kernel = compile_one(**configuration)
    kernel.config = dict(configuration) or None
    return AutotuneResult(config=kernel.config, func=kernel.prim_func, kernel=kernel)


def chosen_by_caller(tuner: Any, configuration: Configuration) -> bool:
    """Whether a tuned argument was given in the call, by name or by place: then the tuner has nothing to choose."""
    if tuner._kernel_parameters is None:
        return False
    positional, keywords = tuner._kernel_parameters
    by_place = list(tuner._function_parameters)[: len(positional)]
    return any(name in configuration for name in (*by_place, *dict(keywords)))


def configurations(tuner: Any) -> list[Configuration]:
    """As the decorator lists them; a function of the arguments is called once."""
    if callable(tuner.configs):
        positional, keywords = tuner._kernel_parameters
        tuner.configs = tuner.configs(*positional, **dict(keywords))
    tuner.configs = list(tuner.configs)
    return list(tuner.configs)


def key_of(tuner: Any) -> str:
    """ "" where the tuner or its arguments cannot be told apart in another process."""
    if tuner._kernel_parameters is None:
        return ""
    function = getattr(tuner.fn, "orig_func", tuner.fn)
    positional, keywords = tuner._kernel_parameters
    words = [*(repr(value) for value in positional), *(f"{name}={value!r}" for name, value in keywords)]
    key = f"{function.__module__}.{function.__qualname__}({', '.join(words)})"
    return "" if ADDRESS in key else key


def text_of(configuration: Configuration) -> str:
    entries = sorted(configuration.items())
    return ", ".join(f"{name}={value!r}" for name, value in entries if (name, value) != (OPTIONS, None))
