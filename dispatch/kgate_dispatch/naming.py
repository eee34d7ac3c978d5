"""Functions by name, `module:function`, as kgate's manifest writes them."""

import sys
from collections.abc import Callable
from typing import Any


def name_of(function: Callable[..., Any]) -> str:
    module = getattr(function, "__module__", None) or "?"
    return f"{module}:{getattr(function, '__qualname__', type(function).__qualname__)}"


def attribute(holder: object, path: str) -> Any:
    """None where a part of the path is not there."""
    for part in path.split("."):
        holder = getattr(holder, part, None)
    return holder


def loaded(name: str) -> Any:
    """What the name means, as far as its module has been imported already."""
    module, _, path = name.partition(":")
    return attribute(sys.modules.get(module), path)


def fallback_name(fallback: Callable[..., Any]) -> str:
    """
    Where it can be found: a function that was decorated in place lives on as `.fallback` of what now has its name, and
    one that was decorated twice as `.fallback.fallback`.
    """
    name = name_of(fallback)
    found = loaded(name)
    while found is not fallback and hasattr(found, "fallback"):
        name, found = f"{name}.fallback", found.fallback
    return name
