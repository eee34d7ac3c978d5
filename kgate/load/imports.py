"""
Which files a function rests on, read from the sources: nothing is imported, and no torch is needed.

As `kgate.worker.origins` does it in a process that has loaded them: a name is followed to the module that defines it,
and packages above a module count without what they import for others' sake. Two things are read more widely, since no
process has shown what runs: imports within functions count, and texts that name a function (`module:function`) or a
source of a compiled extension (`csrc/norm.cu`). A name that is put together while the program runs is not seen.
"""

import ast
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field

from kgate.load import natives
from kgate.load.source import defined, statements

FUNCTION_NAME = re.compile(r"([A-Za-z_]\w*(?:\.\w+)*):([A-Za-z_][\w.]*)")
MODULE_NAME = re.compile(r"\.*[A-Za-z_]\w*(?:\.\w+)*")
IMPORTERS = ("import_module", "__import__")
IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+)?import[ \t]+(\([^)]*\)|.*)", re.MULTILINE)
WHOLE = ""  # in place of a name: all of the module

Named = tuple[str, str]  # a module, and a name in it


@dataclass(frozen=True, kw_only=True)
class Source:
    """One file as it was parsed. `bound`: what an import gives another name here; `stars`: modules taken as a whole."""

    imports: tuple[Named, ...] = ()
    bound: dict[str, Named] = field(default_factory=dict)
    stars: tuple[str, ...] = ()
    defines: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()


class Imports:
    """The files of a tree, by path below its root, of which those that are needed are read, once."""

    def __init__(self, names: Collection[str], read: Callable[[str], bytes]) -> None:
        self.names = frozenset(names)
        self.folders = frozenset(above for name in names for above in natives.folders_above(name))
        self.read = read
        self.parsed: dict[str, Source] = {}
        self.natives = natives.Natives(self.names, read)

    def closure(self, entries: Iterable[str]) -> frozenset[str]:
        """Files behind these functions (`module:function`), their own among them."""
        parts = (entry.partition(":") for entry in entries if entry)
        waiting = [(module, function.partition(".")[0]) for module, _, function in parts]
        found, followed = set[str](), set[str]()
        while waiting:
            module, passed = self.defining(*waiting.pop())
            found |= passed
            if module in followed or not self.holds(module):
                continue
            followed.add(module)
            file = self.file_of(module)
            found |= {self.file_of(above) for above in packages_above(module)} | {file}
            source = self.source(file)
            waiting += source.imports
            waiting += [pair for text in source.texts for pair in self.named_in(text)]
            found |= self.natives.closure(file, source.texts)
        return frozenset(found - {""})

    def defining(self, module: str, name: str) -> tuple[str, set[str]]:
        """Where a name of a module comes from, and the files that pass it on."""
        passed, seen = set[str](), set[Named]()
        while name and (module, name) not in seen:
            seen.add((module, name))
            if self.holds(f"{module}.{name}"):
                return f"{module}.{name}", passed
            source = self.source(self.file_of(module))
            step = source.bound.get(name) if name not in source.defines else None
            star = next((m for m in source.stars if self.gives(m, name)), None) if step is None else None
            if name in source.defines or (step is None and star is None):
                break
            onward = step or (star or "", name)
            if not self.holds(onward[0]):
                break
            passed |= {self.file_of(module), *(self.file_of(above) for above in packages_above(module))}
            module, name = onward
        return module, passed

    def gives(self, module: str, name: str, depth: int = 5) -> bool:
        """Whether `from module import *` brings this name along."""
        source = self.source(self.file_of(module))
        given = name in source.defines or name in source.bound
        return given or (depth > 0 and any(self.gives(star, name, depth - 1) for star in source.stars))

    def holds(self, module: str) -> bool:
        """Whether a module is the tree's own; a folder without `__init__.py` is a package as well."""
        return bool(self.file_of(module)) or module.replace(".", "/") in self.folders

    def file_of(self, module: str) -> str:
        """ "" where it is not the tree's, or a folder alone."""
        path = module.replace(".", "/")
        return next((name for name in (f"{path}/__init__.py", f"{path}.py") if name in self.names), "")

    def source(self, file: str) -> Source:
        """Nothing where the file is no Python that can be read: it counts all the same."""
        if file not in self.parsed:
            try:
                self.parsed[file] = source_of(file, self.read(file)) if file else Source()
            except (RecursionError, MemoryError):
                self.parsed[file] = by_text(file, self.read(file))
            except (OSError, SyntaxError, ValueError):
                self.parsed[file] = Source()
        return self.parsed[file]

    def named_in(self, text: str) -> Iterator[Named]:
        if (found := FUNCTION_NAME.fullmatch(text)) and self.holds(found[1]):
            yield found[1], found[2].partition(".")[0]


def source_of(file: str, data: bytes) -> Source:
    package = packaged(file)
    imports: list[Named] = []
    bound: dict[str, Named] = {}
    stars: list[str] = []
    texts: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of escapes that are none
        tree = ast.parse(data)
    for node in running(tree):
        match node:
            case ast.Import():
                imports += [(alias.name, WHOLE) for alias in node.names]
                bound |= {alias.asname: (alias.name, WHOLE) for alias in node.names if alias.asname}
            case ast.ImportFrom():
                origin = absolute(package, "." * node.level + (node.module or ""))
                imports += [(origin, WHOLE if alias.name == "*" else alias.name) for alias in node.names]
                stars += [origin for alias in node.names if alias.name == "*"]
                bound |= {alias.asname or alias.name: (origin, alias.name) for alias in node.names if alias.name != "*"}
            case ast.Call(func=called, args=[ast.Constant(value=str(name)), *_]) if importer(called):
                imports += [(absolute(package, name), WHOLE)] if MODULE_NAME.fullmatch(name) else []
            case ast.Constant(value=str(text)):
                texts.add(text)
    # Names that the file itself gives a value, and not an import, at its top level.
    defines = frozenset(name for statement in statements(tree.body) for name in defined(statement))
    return Source(imports=tuple(imports), bound=bound, stars=tuple(stars), defines=defines, texts=frozenset(texts))


def running(node: ast.AST) -> Iterator[ast.AST]:
    """All below `node` but what is for type checkers alone. Without recursion: syntax may be nested thousands deep."""
    stack = [*ast.iter_child_nodes(node)][::-1]
    while stack:
        child = stack.pop()
        if isinstance(child, ast.If) and any("TYPE_CHECKING" in words(each) for each in ast.walk(child.test)):
            stack += child.orelse[::-1]
            continue
        yield child
        stack += [*ast.iter_child_nodes(child)][::-1]


def words(node: ast.AST) -> tuple[str, str]:
    return getattr(node, "id", ""), getattr(node, "attr", "")


def by_text(file: str, data: bytes) -> Source:
    """Of what is nested too deep to be parsed: whatever looks like an import, as a whole."""
    package = packaged(file)
    imports: list[Named] = []
    for origin, names in IMPORT.findall(data.decode("utf-8", "replace")):
        listed = [part.split()[0] for part in re.sub(r"[()]|#.*", " ", names).split(",") if part.split()]
        if origin:
            imports += [(absolute(package, origin), name) for name in (WHOLE, *listed) if name != "*"]
        else:
            imports += [(name, WHOLE) for name in listed]
    return Source(imports=tuple(imports))


def importer(called: ast.expr) -> bool:
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return name in IMPORTERS


def packaged(file: str) -> str:
    """The package that a file's relative imports start from."""
    return file.rpartition("/")[0].replace("/", ".")


def absolute(package: str, name: str) -> str:
    """`..paths` in the package acme.ops is acme.paths."""
    level = len(name) - len(name.lstrip("."))
    above = package.split(".")[: max(0, package.count(".") + 2 - level)] if level and package else []
    return ".".join(filter(None, (*above, name.lstrip("."))))


def packages_above(module: str) -> Iterator[str]:
    while module := module.rpartition(".")[0]:
        yield module
