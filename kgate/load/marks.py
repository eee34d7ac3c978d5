"""What marks a kernel in a source: decorators and calls of the DSLs, registered operators, `__global__` in CUDA."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from kgate.load.digests import hashed, spelt
from kgate.load.source import Module, Scope, statements

# By full name, whatever it is imported as. Helpers of a DSL that make no kernel by themselves (macros) are not here.
DECORATORS = {
    "tilelang.jit": "tilelang.jit",
    "tilelang.lazy_jit": "tilelang.lazy_jit",
    "tilelang.language.prim_func": "T.prim_func",
    "cuda.tile.kernel": "ct.kernel",
    "triton.jit": "triton.jit",
    "triton.autotune": "triton.autotune",
    "triton.heuristics": "triton.heuristics",
    "triton.experimental.gluon.jit": "gluon.jit",
    "cutlass.cute.kernel": "cute.kernel",
    "cutlass.cute.jit": "cute.jit",
    "torch.library.custom_op": "torch.library.custom_op",
    "torch.library.triton_op": "torch.library.triton_op",
    "torch.library.impl": "torch.library.impl",
    "torch.library.define": "torch.library.define",
}
LIBRARY = "torch.library.Library"
METHODS = ("impl", "define")  # of a Library
# A file without any of these words holds no kernel, and is not parsed.
WORDS = re.compile(rb"tilelang|triton|cuda\.tile|cuda import tile|cutlass|torch\.library|import library|custom_op")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
GLOBAL = re.compile(r"__global__\b")
CALLED = re.compile(r"(\w+)\s*\(")


@dataclass(frozen=True, kw_only=True)
class Mark:
    """`name` and `digest` as of model.Found; `operators`: those that it registers, "acme::gelu" or "gelu"."""

    name: str
    line: int
    how: str
    operators: tuple[str, ...] = ()
    digest: str


def in_python(module: Module) -> Iterator[Mark]:
    """One for each top-level statement that makes a kernel, in itself or in what it holds."""
    libraries = {name for name, found in module.definitions.items() for s in found if is_library(module, s)}
    for statement in statements(module.tree.body):
        seen = [mark for node in ast.walk(statement) for mark in marks_of(module, node, libraries)]
        if seen:
            operators = tuple(dict.fromkeys(op for _, ops in seen for op in ops))
            name = name_of(statement) or next(iter(operators), "")
            if name:
                digest = hashed([spelt([statement])])
                yield Mark(name=name, line=line_of(statement), how=seen[0][0], operators=operators, digest=digest)


def marks_of(module: Module, node: ast.AST, libraries: set[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """How, and which operators; of a decorated definition, and of a call with the function in it."""
    if isinstance(node, Scope):
        for decorator in node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if how := DECORATORS.get(module.dotted(called)):
                yield how, operators_of(decorator)
    elif isinstance(node, ast.Call):
        how = DECORATORS.get(module.dotted(node.func), "")
        # `triton.jit(function)`; with settings alone it only makes the decorator, which is met where it is used.
        if how and any(not isinstance(a, ast.Constant) for a in node.args):
            yield how, operators_of(node)
        elif isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
            holder = node.func.value
            if (isinstance(holder, ast.Name) and holder.id in libraries) or is_call_of_library(module, holder):
                yield f"Library.{node.func.attr}", operators_of(node)


def operators_of(node: ast.expr) -> tuple[str, ...]:
    """The operator named by a registration's texts: the first that is a name and no dispatch key."""
    arguments = node.args if isinstance(node, ast.Call) else []
    texts = [a.value for a in arguments if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    return tuple(text.partition("(")[0].partition(".")[0].strip() for text in texts[:1])


def is_library(module: Module, statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Assign) and is_call_of_library(module, statement.value)


def is_call_of_library(module: Module, node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and module.dotted(node.func) == LIBRARY


def name_of(statement: ast.stmt) -> str:
    if isinstance(statement, Scope):
        return statement.name
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    return ""


def line_of(statement: ast.stmt) -> int:
    """Of the first decorator, where a reader looks for it."""
    decorators = statement.decorator_list if isinstance(statement, Scope) else []
    return min((statement.lineno, *(d.lineno for d in decorators)))


def in_cuda(text: str) -> tuple[str, ...]:
    """Names of the `__global__` functions of a CUDA source, each once, in their order."""
    bare = COMMENT.sub(" ", text)
    return tuple(dict.fromkeys(filter(None, (declared(bare, found.end()) for found in GLOBAL.finditer(bare)))))


def declared(text: str, at: int) -> str:
    """The first name before a parenthesis that is no attribute, such as `__launch_bounds__`."""
    names = (found.group(1) for found in CALLED.finditer(text, at, at + 2000))
    return next((name for name in names if not name.startswith("__")), "")
