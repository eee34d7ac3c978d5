"""
What a function is made of, by name, as one digest: of two trees it says whether a reference is still the same.

Comments, docstrings and the place of a line are no part of it, nor are the names of the tree's own modules, so that
what was moved is the same. The names of other packages' functions are, and the conditions under which a definition
holds.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator

from kgate.load.source import ALL, Definition, Module, Scope, Sources


def digest(sources: Sources, entry: str) -> str:
    """
    Of `module:function`, wherever its modules lie; "" where the tree does not hold the module. Where text does not tell
    what the function is, of the whole file.
    """
    name, _, function = entry.partition(":")
    if sources.file_of(name) is None:
        return ""
    module, what = located(sources, name, function)
    path, held = sources.file_of(module), sources.module(module)
    if path is None:
        return hashed([f"{module}.{what}"])
    if held is None or what not in held.definitions:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    return hashed(texts(sources, (module, what)))


def hashed(found: Iterable[str]) -> str:
    return hashlib.sha256("\n\n".join(sorted(found)).encode("utf-8", "replace")).hexdigest()


def located(sources: Sources, name: str, function: str) -> Definition:
    """Of `package.f` in a module where f really stands; of a method, its class."""
    first, *others = function.split(".")
    module, what = sources.resolved(name, first)
    for part in others:
        if what == ALL:
            module, what = sources.resolved(module, part)
    return module, what


def texts(sources: Sources, entry: Definition) -> Iterator[str]:
    """Of each definition that the entry rests on, and of what else its module does with it on import."""
    waiting, found, taken = [entry], set[Definition](), set[int]()
    while waiting:
        name, what = sources.resolved(*waiting.pop())
        module, path = sources.module(name), sources.file_of(name)
        if (name, what) in found or path is None:
            continue
        found.add((name, what))
        if module is None:
            yield hashlib.sha256(path.read_bytes()).hexdigest()
            continue
        yield from (f"all of {star}" for star in module.stars if sources.file_of(star) is None)
        waiting += [(name, each) for each in module.definitions] if what == ALL else []
        for statement in module.definitions.get(what, ()):
            if id(statement) not in taken:
                taken.add(id(statement))
                yield spelt([*module.conditions(statement), statement])
                yield from imported(sources, module, statement)
                for node in (statement, *conditions_of(module, statement)):
                    waiting += sources.used(module, node)
        # What is passed along with it, as the kernel to a registry, is not followed.
        yield from (spelt([*module.conditions(s), s]) for s in module.beside if what in mentioned(s))


def conditions_of(module: Module, statement: ast.stmt) -> Iterator[ast.AST]:
    return (node for node in module.conditions(statement) if isinstance(node, ast.AST))


def imported(sources: Sources, module: Module, statement: ast.stmt) -> Iterator[str]:
    """What the names of a statement stand for: each import of such a name, and under which conditions it is made."""
    for name in sorted(mentioned(statement)):
        for number, (origin, what, place) in enumerate(module.bound.get(name, ())):
            inside = sources.file_of(sources.resolved(origin, what)[0]) is not None
            told = "of the tree" if inside else f"{origin}.{what}"
            yield f"{name}, import {number}: {told}\n{spelt(module.conditions(place))}"


def mentioned(statement: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}


def spelt(parts: Iterable[ast.AST | str]) -> str:
    """Syntax as text. Without recursion: an expression may be nested thousands deep."""
    found: list[str] = []
    stack: list[ast.AST | str] = [*parts][::-1]
    while stack:
        part = stack.pop()
        if isinstance(part, str):
            found.append(part)
            continue
        found.append(f"{type(part).__name__}(")
        stack.append(")")
        for name, value in reversed(list(fields(part))):
            values = value if isinstance(value, list) else [value]
            stack += [each if isinstance(each, ast.AST) else repr(each) for each in reversed(values)]
            stack.append(f"{name}=")
    return "\n".join(found)


def fields(node: ast.AST) -> Iterator[tuple[str, object]]:
    """Without a docstring."""
    for name, value in ast.iter_fields(node):
        documented = name == "body" and isinstance(node, Scope) and node.body and is_text(node.body[0])
        yield name, value[1:] if documented else value


def is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
