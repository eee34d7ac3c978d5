"""The user's functions: found in the arm's tree, named as `module:function`, and what was loaded on the way."""

import difflib
import importlib
import os
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

from kgate.worker.faults import Fault, foreign

# Production operators and fallbacks may be torch's own; anything else has to come out of the arm's tree.
OUTSIDE = ("torch",)
# The gate's own kernels, which no arm brings along.
QUIET = "kgate.worker.quiet"
# Below head's own tree lie the trees of base, and what the gate writes; nothing in there is head's.
STATE = ".kgate"

Compiler = Callable[[BaseException], bool]


def enter(tree: str) -> None:
    """Put the arm's tree first on sys.path."""
    if sys.path[:1] != [tree]:
        sys.path.insert(0, tree)


def function_of(entry: str, tree: str, compiler: Compiler | None = None) -> Callable[..., Any]:
    """The function that `module:function` names. Raises Fault of rung "import"."""
    module_name, _, path = entry.partition(":")
    module = module_of(module_name, compiler)
    if module_name.partition(".")[0] not in OUTSIDE and module_name != QUIET:
        refuse_outside(module, tree)
    found: Any = module
    for name in path.split("."):
        holder = found
        found = foreign("import", partial(getattr, holder, name, None), compiler)
        if found is None:
            raise Fault("import", "function-missing", f"{module_name} has no function {path!r}{nearest(holder, name)}")
    if not callable(found):
        raise Fault("import", "function-missing", f"{entry} is of type {type(found).__name__} and cannot be called")
    return found  # type: ignore[no-any-return]  # a callable is all that is known of it


def module_of(name: str, compiler: Compiler | None) -> ModuleType:
    try:
        return foreign("import", partial(importlib.import_module, name), compiler)
    except Fault as fault:
        text = f"{name} cannot be imported by {sys.executable}: {fault.text}"
        raise Fault(fault.rung, fault.reason, text, fault.detail) from None


def refuse_outside(module: ModuleType, tree: str) -> None:
    """An editable install would otherwise measure the same file in both arms."""
    file = getattr(module, "__file__", None)
    if not isinstance(file, str) or not inside(file, tree):
        where = file if isinstance(file, str) else "no file"
        raise Fault("import", "outside-tree", f"{module.__name__} was loaded from {where}, outside its tree {tree}")


@cache
def inside(file: str, tree: str) -> bool:
    """
    Whether a file is the tree's own, and not in its state folder or in an environment that lies in the tree. Code that
    has no file, as Python's `<string>`, is nobody's.
    """
    if file.startswith("<"):
        return False
    real, root, prefix = (Path(os.path.realpath(path)) for path in (file, tree, sys.prefix))
    if not real.is_relative_to(root) or real.relative_to(root).parts[:1] == (STATE,):
        return False
    return not (prefix != root and prefix.is_relative_to(root) and real.is_relative_to(prefix))


def nearest(holder: Any, name: str) -> str:
    close = difflib.get_close_matches(name, [n for n, value in vars(holder).items() if callable(value)], 1)
    return f"; did you mean {close[0]!r}?" if close else ""
