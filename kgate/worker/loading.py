"""The user's functions: found in the arm's tree, named as `module:function`, and what was loaded on the way."""

import difflib
import hashlib
import importlib
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

from kgate.worker.faults import Fault, foreign

# Production operators and fallbacks may be torch's own; anything else has to come out of the arm's tree.
OUTSIDE = ("torch",)
FILES_LIMIT = 2500  # of the loaded files reported, so that the line stays a line

Compiler = Callable[[BaseException], bool]


def enter(tree: str) -> None:
    """Put the arm's tree first on sys.path."""
    if sys.path[:1] != [tree]:
        sys.path.insert(0, tree)


def function_of(entry: str, tree: str, compiler: Compiler | None = None) -> Callable[..., Any]:
    """The function that `module:function` names. Raises Fault of rung "import"."""
    module_name, _, path = entry.partition(":")
    module = module_of(module_name, compiler)
    if module_name.partition(".")[0] not in OUTSIDE:
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


def inside(file: str, tree: str) -> bool:
    return Path(os.path.realpath(file)).is_relative_to(os.path.realpath(tree))


def nearest(holder: Any, name: str) -> str:
    close = difflib.get_close_matches(name, [n for n, value in vars(holder).items() if callable(value)], 1)
    return f"; did you mean {close[0]!r}?" if close else ""


def loaded_files(tree: str) -> dict[str, str]:
    """Path below the tree -> sha256, of the modules imported from it and the shared objects mapped from it."""
    root = os.path.realpath(tree)
    starts = (os.path.join(tree, ""), os.path.join(root, ""))  # noqa: PTH118  text, for the thousands elsewhere
    named = [file for file in (*module_files(), *mapped_files()) if file.startswith(starts)]
    files = sorted({os.path.realpath(file) for file in named if Path(file).is_file() and inside(file, tree)})
    return {os.path.relpath(file, root): digest(file, Path(file).stat().st_mtime_ns) for file in files[:FILES_LIMIT]}


def module_files() -> Iterator[str]:
    for module in list(sys.modules.values()):
        # Read past a module's own __getattr__, which may import, warn or raise.
        file = vars(module).get("__file__") if isinstance(module, ModuleType) else None
        if isinstance(file, str):
            yield file


def mapped_files() -> Iterator[str]:
    for line in Path("/proc/self/maps").read_text("utf-8", "replace").splitlines():
        file = line[line.find("/") :]
        if ".so" in file:
            yield file


@cache
def digest(file: str, modified_ns: int) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()
