"""
The code of a tree as it is written: which definition rests on which, and which of them are device code. Nothing is
imported, so neither torch nor a DSL has to be here.
"""

import ast
import copy
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from kgate.load.inventory import TEST, bytes_of
from kgate.load.marks import WORDS, Mark, in_python
from kgate.load.source import ALL, Definition, Module, Sources, parsed
from kgate.model import Place
from kgate.survey.extensions import Extensions
from kgate.survey.natives import DSLS, Function, Native, device_names

# Shown to readers, or run by hand; a product calls nothing of it.
ASIDE = (
    "examples",
    "example",
    "benchmarks",
    "benchmark",
    "bench",
    "scripts",
    "tutorials",
    "docs",
    "tools",
    "profiling",
)
OPERATORS = "torch.ops."
# What a decorator or a method that fills a table of implementations is called.
REGISTERS = re.compile(r"(^|_)(register|impl|backend|dispatch|custom_op|triton_op)")


@dataclass(frozen=True, kw_only=True)
class Code:
    """`folder` is what comes first on sys.path; `files` are all of the tree, from its `root`."""

    root: Path
    folder: Path
    files: Sequence[str]

    @cached_property
    def sources(self) -> Sources:
        return Sources(folder=self.folder)

    @cached_property
    def modules(self) -> Mapping[str, Module]:
        """The product's own, by name."""
        found = (self.sources.module(name) for name in self.names(aside=False))
        return {module.name: module for module in found if module is not None}

    @cached_property
    def callers(self) -> Sequence[Module]:
        """What may show how a function is called: tests first, then all else."""
        tests = [f for f in self.files if f.endswith(".py") and TEST.search(f) and bytes_of(self.root / f)]
        read = [parsed(f[:-3].replace("/", "."), self.root / f) for f in tests]
        asides = [self.sources.module(name) for name in self.names(aside=True)]
        return [module for module in (*read, *asides, *self.modules.values()) if module is not None]

    def names(self, *, aside: bool) -> Iterator[str]:
        """Of modules below `folder` that are no tests."""
        prefix = self.folder.relative_to(self.root).as_posix()
        start = "" if prefix == "." else f"{prefix}/"
        for file in self.files:
            if not (file.startswith(start) and file.endswith(".py")) or TEST.search(file):
                continue
            parts = PurePosixPath(file.removeprefix(start)).with_suffix("").parts
            if bool(set(parts[:-1]) & set(ASIDE)) is aside and bytes_of(self.root / file):
                yield ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)

    def aside(self) -> Iterator[str]:
        """Folders, from `folder`, of modules that hold device code and are no product's."""
        for name in self.names(aside=True):
            module = self.sources.module(name)
            if module is not None and any(True for _ in in_python(module)):
                parts = module.path.relative_to(self.folder).parts
                yield "/".join(parts[: next(n for n, part in enumerate(parts, 1) if part in ASIDE)])

    def place(self, module: Module, line: int) -> Place:
        return Place(path=module.path.relative_to(self.root).as_posix(), line=line)

    def function(self, at: Definition) -> Function | None:
        """Its node, None for what is no function."""
        module = self.sources.module(at[0])
        found = module.definitions.get(at[1], []) if module else []
        return next((node for node in found if isinstance(node, Function)), None)

    @cached_property
    def functions(self) -> Mapping[Definition, Function]:
        """Of the product, with at least one argument, in the order of the tree; device code is none."""
        found = ((at, self.function(at)) for at in self.uses if at not in self.natives)
        return {
            at: node for at, node in found if node and (node.args.posonlyargs or node.args.args or node.args.vararg)
        }

    @cached_property
    def said(self) -> Mapping[Definition, frozenset[str]]:
        """The texts and the operators of `torch.ops` that each function names."""
        found: dict[Definition, frozenset[str]] = {}
        for at, node in self.functions.items():
            module, inner = self.modules[at[0]], list(ast.walk(node))
            texts = {n.value for n in inner if isinstance(n, ast.Constant) and isinstance(n.value, str)}
            names = [module.dotted(n) for n in inner if isinstance(n, ast.Attribute)]
            found[at] = frozenset(texts | {n.rpartition(".")[2] for n in names if n.startswith(OPERATORS)})
        return found

    def at(self, definition: Definition) -> Place:
        module = self.sources.module(definition[0])
        assert module is not None
        nodes = module.definitions.get(definition[1], [])
        return self.place(module, nodes[0].lineno if nodes else 1)

    def named(self, module: Module, node: ast.AST) -> Definition | None:
        """What an expression such as `softmax` or `acme.ops.softmax` names; None where it is none of the tree's."""
        if isinstance(node, ast.Name) and node.id in module.definitions:
            return module.name, node.id
        holder, _, name = module.dotted(node).rpartition(".")
        if holder.startswith(OPERATORS):
            return self.operator(module, node)
        found = self.sources.resolved(holder, name) if holder else None
        known = self.sources.module(found[0]) if found else None
        return found if found and known and found[1] in known.definitions else None

    def operator(self, module: Module, node: ast.AST) -> Definition | None:
        """The function of the tree that `torch.ops.acme.gelu` is."""
        holder, _, name = module.dotted(node).rpartition(".")
        return self.operators.get(f"{holder.removeprefix(OPERATORS)}::{name}") if holder.startswith(OPERATORS) else None

    @cached_property
    def marks(self) -> Mapping[str, Sequence[Mark]]:
        """What marks device code and operators, by module of the product."""
        return {
            name: tuple(in_python(module)) if WORDS.search(bytes_of(module.path)) else ()
            for name, module in self.modules.items()
        }

    @cached_property
    def operators(self) -> Mapping[str, Definition]:
        """Operators that functions of the tree are, by `torch.library.custom_op` or `triton_op`."""
        found: dict[str, Definition] = {}
        for name, marks in self.marks.items():
            for mark in marks:
                if mark.how.endswith("_op") and mark.name in self.modules[name].definitions:
                    found |= dict.fromkeys(mark.operators, (name, mark.name))
        return found

    @cached_property
    def natives(self) -> Mapping[Definition, Native]:
        found: dict[Definition, Native] = {}
        for name, module in self.modules.items():
            for mark in self.marks[name]:
                dsl = DSLS.get(mark.how.partition(".")[0], "")
                if dsl and mark.name in module.definitions:
                    device = device_names(dsl, mark.name, module.definitions[mark.name])
                    native = Native(dsl=dsl, place=self.place(module, mark.line), how=f"@{mark.how}", device=device)
                    found[name, mark.name] = native
            found |= {at: native for at, native in self.extensions.natives(module, self.place) if at not in found}
        return found

    @cached_property
    def extensions(self) -> Extensions:
        return Extensions(root=self.root, files=self.files)

    @cached_property
    def uses(self) -> Mapping[Definition, frozenset[Definition]]:
        return {
            (name, what): frozenset(self.used(module, statements))
            for name, module in self.modules.items()
            for what, statements in module.definitions.items()
        }

    def used(self, module: Module, statements: Iterable[ast.stmt]) -> Iterator[Definition]:
        for statement in map(unregistered, statements):
            for use in self.sources.used(module, statement):
                found = self.sources.resolved(*use)
                if found[1] != ALL:
                    yield found
            for node in ast.walk(statement):
                if isinstance(node, ast.Attribute) and (operator := self.operator(module, node)):
                    yield operator
                elif built := self.extensions.imported(module, node):
                    yield built

    @cached_property
    def launched(self) -> frozenset[Definition]:
        """Device code that something else than device code names."""
        return frozenset(
            use for at, used in self.uses.items() if at not in self.natives for use in used & {*self.natives}
        )

    @cached_property
    def closures(self) -> dict[Definition, frozenset[Definition]]:
        return {}

    def closure(self, start: Definition) -> frozenset[Definition]:
        """All that `start` rests on, itself among them."""
        if start not in self.closures:
            seen, waiting = set[Definition](), [start]
            while waiting:
                at = waiting.pop()
                if at not in seen:
                    seen.add(at)
                    waiting += self.uses.get(at, ())
            self.closures[start] = frozenset(seen)
        return self.closures[start]

    def reach(self, start: Definition) -> tuple[Definition, ...]:
        """The device code that `start` rests on, in the order of the tree."""
        found = self.closure(start)
        return tuple(at for at in self.natives if at in found)


def unregistered(statement: ast.stmt) -> ast.stmt:
    """Without the decorators that enter it in a table: it does not rest on what else stands there."""
    if not isinstance(statement, Function):
        return statement
    bare = copy.copy(statement)
    bare.decorator_list = [d for d in statement.decorator_list if not REGISTERS.search(called_name(d))]
    return bare


def called_name(node: ast.expr) -> str:
    """The last part of what a decorator or a call names."""
    called = node.func if isinstance(node, ast.Call) else node
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
