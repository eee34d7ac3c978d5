"""
Triton's autotuner, told which configuration to take.

A key is the tuned function with the values that its decorator names and the dtypes of its arguments; a pick is the text
of one of the configurations that the decorator lists, so that a pick which is no longer listed is not taken, and the
tuner times as ever. What depends on where an object lies in memory is neither told nor frozen.
"""

import functools
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

ADDRESS = " at 0x"

tuners: "weakref.WeakSet[Any]" = weakref.WeakSet()  # those that ran
frozen: dict[str, str] = {}
Run = Callable[..., Any]


def steered(run: Run) -> Run:
    """Autotuner.run, which looks for its key in a cache of its own and times nothing if it is there."""

    @functools.wraps(run)
    def running(tuner: Any, *args: Any, **keywords: Any) -> Any:
        tuners.add(tuner)
        key = key_of(tuner, args, keywords)
        pick = frozen_pick(tuner, key)
        if pick is not None:
            tuner.cache.setdefault(key, pick)
        return run(tuner, *args, **keywords)

    return running


def key_of(tuner: Any, args: tuple[Any, ...], keywords: Mapping[str, Any]) -> tuple[Any, ...]:
    """As Autotuner.run makes it."""
    given = {**dict(zip(tuner.arg_names, args, strict=False)), **keywords}
    named = {name: value for name, value in given.items() if name in tuner.arg_names}
    values = [named[name] for name in tuner.keys if name in named]
    return (*values, *(str(value.dtype) for value in named.values() if hasattr(value, "dtype")))


def name_of(tuner: Any, key: tuple[Any, ...]) -> str:
    return f"{tuner.base_fn.__module__}.{tuner.base_fn.__qualname__} {key!r}"


def text_of(config: Any) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in config.all_kwargs().items())


def frozen_pick(tuner: Any, key: tuple[Any, ...]) -> Any:
    """One of the tuner's configurations, or None."""
    wanted = frozen.get(name_of(tuner, key)) if frozen else None
    return next((config for config in tuner.configs if text_of(config) == wanted), None)


def tuned() -> Mapping[str, str]:
    picks = {name_of(tuner, key): text_of(config) for tuner in tuners for key, config in tuner.cache.items()}
    return {name: pick for name, pick in picks.items() if ADDRESS not in name + pick}


def spaces() -> Mapping[str, Sequence[str]]:
    return {name_of(tuner, key): [text_of(c) for c in tuner.configs] for tuner in tuners for key in tuner.cache}


def freeze(picks: Mapping[str, str]) -> None:
    frozen.update(picks)
