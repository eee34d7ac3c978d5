"""
Python sources of a tree as they are written: what a function rests on by name. Nothing is imported.

Names are followed through the tree's own modules: definitions of the module, imports, `package.name`, and text that is
the name of a module of the tree (`import_module("acme.gemm")`). What no name tells, such as a table that a decorator
fills, is taken to belong to its module.
"""

import ast
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

ALL = ""  # in place of a name: everything in the module
Definition = tuple[str, str]  # module and top-level name

Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
# What holds statements of a module's own level, and the fields that they stand in.
BLOCKS = ("body", "handlers", "cases", "orelse", "finalbody")
COMPOUND = (ast.If, ast.Try, ast.With, ast.For, ast.While, ast.Match, ast.ExceptHandler, ast.match_case)
Condition = ast.AST | str  # an expression above a statement, and what of it holds ("If orelse")


@dataclass(frozen=True, kw_only=True)
class Module:
    """One file. `imports`: alias -> (module, name), name ALL for a module; wherever in the file they stand."""

    name: str
    path: Path
    tree: ast.Module = field(repr=False)

    @cached_property
    def definitions(self) -> dict[str, list[ast.stmt]]:
        found: dict[str, list[ast.stmt]] = {}
        for statement in statements(self.tree.body):
            for name in defined(statement):
                found.setdefault(name, []).append(statement)
        return found

    @cached_property
    def placed(self) -> dict[int, tuple[Condition, ...]]:
        """By id of a statement of the module's own level, what it stands under."""
        return {id(statement): above for statement, above in placed(self.tree.body)}

    def conditions(self, statement: ast.stmt) -> tuple[Condition, ...]:
        return self.placed.get(id(statement), ())

    @cached_property
    def beside(self) -> tuple[ast.stmt, ...]:
        """What runs on import and neither defines nor imports a name."""
        return tuple(
            s
            for s in statements(self.tree.body)
            if not isinstance(s, ast.Import | ast.ImportFrom) and not any(defined(s))
        )

    @cached_property
    def bound(self) -> dict[str, list[tuple[str, str, ast.stmt]]]:
        """As `imports`, of the module's own level alone, and each import of a name with its statement."""
        found: dict[str, list[tuple[str, str, ast.stmt]]] = {}
        for statement in statements(self.tree.body):
            for alias, (module, name) in self.bindings(statement):
                found.setdefault(alias, []).append((module, name, statement))
        return found

    @cached_property
    def loose(self) -> tuple[ast.stmt, ...]:
        """What runs on import and defines no name: registrations, for one."""
        return tuple(s for s in statements(self.tree.body) if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call))

    @cached_property
    def imports(self) -> dict[str, Definition]:
        return {alias: found for node in ast.walk(self.tree) for alias, found in self.bindings(node)}

    def bindings(self, node: ast.AST) -> Iterator[tuple[str, Definition]]:
        if isinstance(node, ast.Import):
            for alias in node.names:
                # `import a.b` binds a; `import a.b as c` binds the module itself.
                bound = alias.name if alias.asname else alias.name.partition(".")[0]
                yield alias.asname or bound, (bound, ALL)
        elif isinstance(node, ast.ImportFrom):
            yield from ((a.asname or a.name, (self.source(node), a.name)) for a in node.names if a.name != "*")

    @cached_property
    def stars(self) -> tuple[str, ...]:
        """Modules of which everything is imported."""
        whole = (
            n for n in ast.walk(self.tree) if isinstance(n, ast.ImportFrom) and any(a.name == "*" for a in n.names)
        )
        return tuple(map(self.source, whole))

    def source(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        package = self.name.split(".") if self.path.name == "__init__.py" else self.name.split(".")[:-1]
        above = package[: len(package) - node.level + 1]
        return ".".join(filter(None, (*above, node.module or "")))

    def dotted(self, node: ast.AST) -> str:
        """The full name of an expression such as `tl.jit` or `jit`, by the file's imports; "" for what is none."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        module, name = self.imports.get(node.id, ("", node.id))
        return ".".join(filter(None, (module, name, *reversed(parts))))


def statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Those of a module's own level, under `if`, `try`, `with`, `match` and in loops as well."""
    return (statement for statement, _ in placed(body))


def placed(body: Iterable[ast.stmt]) -> Iterator[tuple[ast.stmt, tuple[Condition, ...]]]:
    """Those of `statements` and what each stands under. Without recursion: a chain of elif is as deep as it is long."""
    stack: list[tuple[ast.AST, tuple[Condition, ...]]] = []
    stack += [(statement, ()) for statement in body][::-1]
    while stack:
        node, above = stack.pop()
        if isinstance(node, COMPOUND) or type(node).__name__ == "TryStar":  # which Python 3.10 does not know
            blocks = {name: value for name, value in ast.iter_fields(node) if name in BLOCKS}
            inner = {id(each) for block in blocks.values() for each in block}
            head = [child for child in ast.iter_child_nodes(node) if id(child) not in inner]
            for name in reversed(BLOCKS):
                here = (*above, f"{type(node).__name__} {name}", *head)
                stack += [(each, here) for each in reversed(blocks.get(name, ()))]
        elif isinstance(node, ast.stmt):
            yield node, above


def defined(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, Scope):
        yield statement.name
    elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        yield from (node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name))


@dataclass(frozen=True, kw_only=True)
class Sources:
    """The modules of one tree; `folder` is first on sys.path."""

    folder: Path
    read: dict[str, Module | None] = field(default_factory=dict, repr=False, compare=False)

    def module(self, name: str) -> Module | None:
        """None where the tree has no such module, or one that is no Python that can be read."""
        if name not in self.read:
            path = self.file_of(name)
            self.read[name] = parsed(name, path) if path else None
        return self.read[name]

    def file_of(self, module: str) -> Path | None:
        """Of a package and a module of one name Python takes the package."""
        if not module or not all(part.isidentifier() for part in module.split(".")):
            return None
        bare = self.folder.joinpath(*module.split("."))
        return next((p for p in (bare / "__init__.py", bare.with_suffix(".py")) if p.is_file()), None)

    def has_package_of(self, module: str) -> bool:
        """Whether the first part of the name is the tree's, so that the rest has to be as well."""
        top = self.folder / module.partition(".")[0]
        return top.is_dir() or top.with_suffix(".py").is_file()

    def has(self, entry: str) -> bool:
        """Whether `module:function` is there, as far as text tells; what lies outside the tree is taken to be."""
        name, _, function = entry.partition(":")
        first = function.partition(".")[0]
        if not self.has_package_of(name):
            return True
        module = self.module(name)
        if module is None:
            path = self.file_of(name)
            return path is not None or self.folder.joinpath(*name.split(".")).is_dir()
        known = (*module.definitions, *module.imports)
        return first in known or bool(module.stars) or "__getattr__" in known

    def reached(self, entries: Iterable[Definition]) -> set[Definition]:
        """
        All definitions that `entries` rest on. What a module registers on import, and what a decorator that is not
        known may have taken note of, belongs to whoever reaches the module.
        """
        found: set[Definition] = set()
        entered: set[str] = set()
        waiting = list(entries)
        while waiting:
            name, what = self.resolved(*waiting.pop())
            module = self.module(name)
            if module is None or (name, what) in found:
                continue
            found.add((name, what))
            if what == ALL:
                waiting += [(name, each) for each in module.definitions]
            for statement in module.definitions.get(what, ()):
                waiting += self.used(module, statement)
            if name not in entered:
                entered.add(name)
                waiting += [use for statement in module.loose for use in self.used(module, statement)]
                waiting += [(name, each) for each in noted(module)]
        return found

    def resolved(self, module: str, name: str) -> Definition:
        """Where a name really stands: packages may only pass it on."""
        seen: set[Definition] = set()
        while (module, name) not in seen:
            seen.add((module, name))
            found = self.module(module)
            if name == ALL or found is None or name in found.definitions:
                break
            if self.file_of(f"{module}.{name}"):
                return f"{module}.{name}", ALL
            if name in found.imports:
                module, name = found.imports[name]
            else:
                stars = (s for s in found.stars if (m := self.module(s)) and name in {*m.definitions, *m.imports})
                module = next(stars, module)
        return module, name

    def used(self, module: Module, statement: ast.AST) -> Iterator[Definition]:
        """What a statement names, of the module and of others of the tree."""
        for node in ast.walk(statement):
            if isinstance(node, ast.Name):
                if node.id in module.definitions or module.stars:
                    yield module.name, node.id
                if node.id in module.imports and module.imports[node.id][1] != ALL:
                    yield module.imports[node.id]
                # Of several imports, as one under `try` and one under `except`, each may be the one that counts.
                yield from ((origin, name) for origin, name, _ in module.bound.get(node.id, ())[:-1] if name != ALL)
            elif isinstance(node, ast.Attribute):
                holder = module.dotted(node.value)
                if holder and self.file_of(holder):
                    yield holder, node.attr
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and self.is_module(node.value):
                yield node.value, ALL

    def is_module(self, text: str) -> bool:
        return "." in text and len(text) < 200 and self.file_of(text) is not None


def parsed(name: str, path: Path) -> Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return Module(name=name, path=path, tree=ast.parse(path.read_bytes()))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None


def noted(module: Module) -> Iterator[str]:
    """Definitions under a decorator, which may have put them into a table."""
    for name, found in module.definitions.items():
        if any(isinstance(s, Scope) and any(unknown(module, d) for d in s.decorator_list) for s in found):
            yield name


def unknown(module: Module, decorator: ast.expr) -> bool:
    """Whether a decorator is the tree's own; those of libraries wrap, and keep no table of the product's."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    top = module.dotted(called).partition(".")[0]
    return top in module.definitions or (module.name.partition(".")[0] == top)
