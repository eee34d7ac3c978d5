"""
Which files of the tree a case rests on: those of the modules it names, and of what these import from the tree.

One process runs many cases in an order drawn at random, so all that is loaded would blame one kernel for another's
files. Imports are read from the source, at the level where they run on import. What was loaded while a case was
open and that no such import explains (a plugin, an import within a function, a shared object) stays with the modules
that the case names.
"""

import ast
import contextlib
import hashlib
import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType

from kgate.protocol import CaseJob
from kgate.worker.loading import inside

FILES_LIMIT = 2500  # reported of one case, so that the line stays a line
LATE: dict[str, set[str]] = {}  # by entry module: files that came while a case of it was open and nothing explains


def present(tree: str) -> set[str]:
    """Real paths in the tree of the modules loaded so far, and of the shared objects mapped."""
    starts = (os.path.join(tree, ""), os.path.join(os.path.realpath(tree), ""))  # noqa: PTH118  text, for thousands
    named = {file for file in (*map(file_of, list(sys.modules)), *mapped_files()) if file.startswith(starts)}
    return {real(file) for file in named if Path(file).is_file() and inside(file, tree)}


def files_of(case: CaseJob, tree: str, before: set[str]) -> dict[str, str]:
    """Path below the tree -> sha256; `before`: what was present when the case was begun."""
    entries = entries_of(case)
    late = unexplained(entries, tree, present(tree) - before)
    found = closure(entries, tree) | late
    for module, _ in entries:
        found |= LATE.setdefault(module, set())
        LATE[module] |= late
    return digests(found, tree)


def digests(files: Iterable[str], tree: str) -> dict[str, str]:
    """Of real paths in the tree: path below it -> sha256."""
    root = os.path.realpath(tree)
    told: dict[str, str] = {}
    for file in sorted(files)[:FILES_LIMIT]:
        # A module may name a file that is not there, or no more.
        with contextlib.suppress(OSError):
            told[os.path.relpath(file, root)] = digest(file, Path(file).stat().st_mtime_ns)
    return told


def module_files() -> set[str]:
    """Real paths of all modules, loaded by whomever."""
    return {real(file) for name in list(sys.modules) if (file := file_of(name))}


@cache
def real(file: str) -> str:
    """Of a module's file, once: a process has thousands of them, and is asked for every case."""
    return os.path.realpath(file)


def unexplained(entries: Sequence[tuple[str, str]], tree: str, fresh: set[str]) -> set[str]:
    """Those of `fresh` that no module imports at its top level, with what they import."""
    modules = {name: real(file_of(name)) for name in list(sys.modules) if in_tree(name, tree)}
    named = [*entries, *(edge for name in modules for edge in imports_of(name))]
    explained = {defining(*pair, tree) for pair in named} | {p for name in modules for p in packages_above(name)}
    plugins = [(name, "") for name, file in modules.items() if file in fresh and name not in explained]
    return closure(plugins, tree) | (fresh - set(modules.values()))


def entries_of(case: CaseJob) -> tuple[tuple[str, str], ...]:
    """Module and function of everything that the case names."""
    watched = () if case.watch is None else (case.watch.custom, case.watch.fallback)
    context = "" if case.context is None else case.context[0]
    named = (case.entry, case.setup, case.reset, case.compile, context, *watched)
    parts = [entry.partition(":") for entry in named if entry]
    return tuple((module, function.partition(".")[0]) for module, _, function in parts)


def closure(wanted: Iterable[tuple[str, str]], tree: str) -> set[str]:
    """
    Files behind these (module, name) pairs, name "" for all of the module.

    The packages above a module ran with it, so their files count; what they import for others' sake does not.
    """
    found: set[str] = set()
    waiting, followed = list(wanted), set[str]()
    while waiting:
        module = defining(*waiting.pop(), tree)
        if module in followed or not in_tree(module, tree):
            continue
        followed.add(module)
        ran = (module, *packages_above(module))
        found |= {real(file_of(name)) for name in ran if in_tree(name, tree)}
        waiting += imports_of(module)
    return found


def defining(module: str, name: str, tree: str) -> str:
    """Where `name` of a module really comes from: a package may only pass it on."""
    if f"{module}.{name}" in sys.modules:
        return f"{module}.{name}"
    holder = sys.modules.get(module)
    value = vars(holder).get(name) if isinstance(holder, ModuleType) else None
    if isinstance(value, ModuleType):
        return value.__name__
    origin: object = None
    # An object of the user's may answer, or raise, whatever it likes.
    with contextlib.suppress(Exception):
        origin = getattr(value, "__module__", None) if callable(value) else None
    return origin if isinstance(origin, str) and in_tree(origin, tree) else module


def imports_of(module: str) -> Iterator[tuple[str, str]]:
    package = module if Path(file_of(module)).name == "__init__.py" else module.rpartition(".")[0]
    for statement in statements(file_of(module)):
        if isinstance(statement, ast.Import):
            yield from ((alias.name, "") for alias in statement.names)
            continue
        above = package.split(".")[: max(0, package.count(".") + 2 - statement.level)] if statement.level else []
        source = ".".join(filter(None, (*above, statement.module or "")))
        yield from ((source, "" if alias.name == "*" else alias.name) for alias in statement.names)


@cache
def statements(file: str) -> tuple["ast.Import | ast.ImportFrom", ...]:
    """The imports that run when the file is imported; none where it is no Python source."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return tuple(running(ast.parse(Path(file).read_bytes()).body)) if file.endswith(".py") else ()
    except (OSError, SyntaxError, ValueError, RecursionError):
        return ()


def running(body: Iterable[ast.AST]) -> Iterator["ast.Import | ast.ImportFrom"]:
    for statement in body:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            yield statement
        elif isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.dump(statement.test):
            yield from running(statement.orelse)
        elif not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.expr)):
            yield from running(ast.iter_child_nodes(statement))


def packages_above(module: str) -> Iterator[str]:
    while module := module.rpartition(".")[0]:
        yield module


def in_tree(module: str, tree: str) -> bool:
    file = file_of(module)
    return bool(file) and lies_in(file, tree)


@cache
def lies_in(file: str, tree: str) -> bool:
    """Asked of some 3000 modules for every case: resolving their links each time took 70 ms."""
    return inside(file, tree)


def file_of(module: str) -> str:
    # Read past a module's own __getattr__, which may import, warn or raise.
    found = sys.modules.get(module)
    file = vars(found).get("__file__") if isinstance(found, ModuleType) else None
    return file if isinstance(file, str) else ""


def mapped_files() -> Iterator[str]:
    for line in Path("/proc/self/maps").read_text("utf-8", "replace").splitlines():
        file = line[line.find("/") :]
        if ".so" in file:
            yield file


@cache
def digest(file: str, modified_ns: int) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()
