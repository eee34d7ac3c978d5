"""CUDA C++ behind Python: what torch compiles at run time, and modules that a build makes."""

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kgate.load.inventory import CUDA, bytes_of
from kgate.load.marks import in_cuda
from kgate.load.source import Definition, Module
from kgate.model import Place
from kgate.survey.natives import Native

LOADERS = ("torch.utils.cpp_extension.load", "torch.utils.cpp_extension.load_inline")
# `CUDAExtension("acme._C", …)` and `CUDAExtension(name="acme._C", …)`, in setup.py.
EXTENSION = re.compile(r"(?:CUDAExtension|CppExtension)\(\s*(?:name\s*=\s*)?[\"']([\w.]+)[\"']")
BUILT = "_C"  # what torch's own template calls an extension's module


@dataclass(frozen=True, kw_only=True)
class Extensions:
    """Of a tree; `files` are all of it, from its `root`."""

    root: Path
    files: Sequence[str]

    @cached_property
    def built(self) -> Mapping[str, str]:
        """Modules that a setup.py builds, each with that file."""
        setups = [f for f in self.files if f.rpartition("/")[2] == "setup.py"]
        return {name: file for file in setups for name in EXTENSION.findall(self.text(file))}

    @cached_property
    def kernels(self) -> Mapping[str, tuple[str, ...]]:
        """`__global__` functions by the CUDA file that holds them."""
        sources = [f for f in self.files if f.endswith(CUDA)]
        return {file: names for file in sources if (names := in_cuda(self.text(file)))}

    @cached_property
    def possible(self) -> bool:
        """Whether anything is built here at all."""
        return bool(self.built or self.kernels)

    def text(self, file: str) -> str:
        return bytes_of(self.root / file).decode("utf-8", "replace")

    def natives(self, module: Module, place: Callable[[Module, int], Place]) -> Iterator[tuple[Definition, Native]]:
        """What stands for CUDA C++ in the module: what has it compiled, and imports of what a build has made."""
        for name, statements in module.definitions.items():
            nodes = [node for statement in statements for node in ast.walk(statement)]
            for node in nodes:
                built, how = self.imported(module, node), self.loads(module, node)
                if built or how:
                    device = tuple(dict.fromkeys(self.device(module, nodes)))
                    at = place(module, getattr(node, "lineno", 1))
                    how = how or f"import of {'.'.join(filter(None, built or ()))}"
                    yield built or (module.name, name), Native(dsl="cuda", place=at, how=how, device=device)
                    break

    def loads(self, module: Module, node: ast.AST) -> str:
        called = module.dotted(node.func) if isinstance(node, ast.Call) else ""
        return called.rpartition(".")[2] if called in LOADERS else ""

    def imported(self, module: Module, node: ast.AST) -> Definition | None:
        """The module that a build makes and that a name is bound to by an import, as (package, name)."""
        if not isinstance(node, ast.Name) or not self.possible or node.id not in module.imports:
            return None
        target = ".".join(filter(None, module.imports[node.id]))
        package, _, name = target.rpartition(".")
        return (package, name) if target in self.built or (name == BUILT and self.kernels) else None

    def device(self, module: Module, nodes: Sequence[ast.AST]) -> Iterator[str]:
        """Kernels of the sources that a definition holds or names as files; of all, where there is one file alone."""
        named = (s for n in nodes if isinstance(n, ast.Name) for s in module.definitions.get(n.id, ()))
        inner = (node for statement in named if isinstance(statement, ast.Assign) for node in ast.walk(statement))
        texts = [
            node.value for node in (*nodes, *inner) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        for text in texts:
            yield from in_cuda(text)
        for file, names in self.kernels.items():
            if len(self.kernels) == 1 or any(text.endswith(file.rpartition("/")[2]) for text in texts):
                yield from names
