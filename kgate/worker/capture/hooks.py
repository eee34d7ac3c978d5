"""Entry points wrapped as soon as their module has been imported, so that every later import finds the wrapper."""

import functools
import importlib.machinery
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

from kgate.worker.capture.tallies import Tallies, Tally

Spec = importlib.machinery.ModuleSpec


class Finder:
    """In front of all other finders, which find the module; only what its loader runs is extended."""

    def __init__(self, kernels: Sequence[Sequence[str]], tallies: Tallies) -> None:
        """`kernels`: the entry points of each, the one to be believed first in front."""
        self.wanted: dict[str, dict[str, Tally]] = {}
        for entries in kernels:
            first = None
            for entry in entries:
                module, _, path = entry.partition(":")
                tally = tallies.tally(entry, first)
                self.wanted.setdefault(module, {})[path] = tally
                first = first or tally

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Spec | None:
        if name not in self.wanted:
            return None
        finders = (finder for finder in sys.meta_path if finder is not self)
        spec = next((found for finder in finders if (found := finder.find_spec(name, path, target))), None)
        if spec is not None and spec.loader is not None:
            self.extend(name, spec.loader)
        return spec

    def extend(self, name: str, loader: Any) -> None:
        execute = loader.exec_module

        def exec_module(module: types.ModuleType) -> None:
            execute(module)
            for path, tally in self.wanted[name].items():
                tally.note = ""
                try:
                    wrap(module, path, tally)
                except Exception as error:  # noqa: BLE001  a product's import must not fail for being watched
                    tally.note = f"cannot be watched: {type(error).__name__}"

        loader.exec_module = exec_module


def wrap(module: types.ModuleType, path: str, tally: Tally) -> None:
    """
    Replace `path` (a function, or Class.method) in its holder; what is not there stays unseen. Raises what a holder
    does that takes no attribute, such as a class of C.
    """
    *outer, last = path.split(".")
    holder: Any = module
    for name in outer:
        holder = getattr(holder, name, None)
    found = vars(holder).get(last, getattr(holder, last, None)) if holder is not None else None
    if found is None:
        tally.note = "is not there"
        return
    kind = type(found)
    inner = found.__func__ if kind in (staticmethod, classmethod) else found
    recorded = function(inner, tally) if isinstance(inner, types.FunctionType) else Recorded(inner, tally)
    setattr(holder, last, kind(recorded) if kind in (staticmethod, classmethod) else recorded)


def function(inner: Callable[..., Any], tally: Tally) -> Callable[..., Any]:
    tally.describe(inner)

    @functools.wraps(inner)
    def recorded(*args: Any, **kwargs: Any) -> Any:
        # While a compiler traces the call, nothing but the call itself may be seen.
        torch = sys.modules.get("torch")
        if torch is None or not torch.compiler.is_compiling():
            tally.see(args, kwargs)
        return inner(*args, **kwargs)

    return recorded


class Recorded:
    """A callable that is no plain function, such as a dispatcher's object: all but calls goes to it."""

    def __init__(self, inner: Callable[..., Any], tally: Tally) -> None:
        self.__dict__.update(inner=inner, tally=tally, __wrapped__=inner)
        tally.describe(inner)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.tally.see(args, kwargs)
        return self.inner(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.inner, name, value)

    def __getitem__(self, key: Any) -> Any:
        return self.inner[key]
