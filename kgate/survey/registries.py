"""
Tables of implementations by the operator's name, filled by decorators, calls or as a literal:
`@register("softmax", "triton")`, `lib.impl("norm", norm, "CUDA")`, `{"softmax": {"triton": a, "torch": b}}`.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kgate.load.source import Definition, Module, Scope
from kgate.model import Place
from kgate.survey.code import REGISTERS, Code, called_name

# Shapes and gradients are no implementations.
OTHERWISE = re.compile(r"fake|meta|abstract|autograd|vmap|autocast")


@dataclass(frozen=True, kw_only=True)
class Member:
    """One implementation. `labels`: the other texts of its registration, such as a backend or a dispatch key."""

    operator: str
    at: Definition
    labels: tuple[str, ...]
    how: str
    place: Place


def groups(code: Code) -> dict[str, list[Member]]:
    """By operator, those that have several members."""
    found: dict[str, list[Member]] = {}
    for module in code.modules.values():
        for member in members(code, module):
            group = found.setdefault(member.operator, [])
            if member.at not in (other.at for other in group):
                group.append(member)
    return {operator: group for operator, group in found.items() if len(group) > 1}


def members(code: Code, module: Module) -> Iterator[Member]:
    for node in ast.walk(module.tree):
        if isinstance(node, Scope) and (module.name, node.name) in code.uses:
            for decorator in node.decorator_list:
                yield from registered(code, module, decorator, (module.name, node.name))
        elif isinstance(node, ast.Call) and REGISTERS.search(called_name(node)):
            for arg in node.args:
                if (at := code.named(module, arg)) and code.function(at):
                    yield from registered(code, module, node, at)
        elif isinstance(node, ast.Dict):
            yield from tabled(code, module, node, ())


def registered(code: Code, module: Module, node: ast.expr, at: Definition) -> Iterator[Member]:
    name = called_name(node)
    if not isinstance(node, ast.Call) or not REGISTERS.search(name) or OTHERWISE.search(name) or at[1] == "_":
        return
    texts = [text for given in (*node.args, *(k.value for k in node.keywords)) for text in texts_of(given)]
    if isinstance(node.func, ast.Attribute) and (owner := code.named(module, node.func.value)):
        # `@rms_norm.register_kernel("cpu")`: the operator is the one that `rms_norm` is.
        texts = [*(op for op, of in code.operators.items() if of == owner), *texts]
    if texts and texts[0]:
        yield Member(
            operator=bare(texts[0]),
            at=at,
            labels=tuple(text.lower() for text in texts[1:]),
            how=name,
            place=code.place(module, node.lineno),
        )


def tabled(code: Code, module: Module, node: ast.Dict, above: Sequence[str]) -> Iterator[Member]:
    """A literal: keys are texts or tuples of texts, values functions or further tables."""
    for key, value in zip(node.keys, node.values, strict=True):
        texts = [*above, *texts_of(key)]
        if isinstance(value, ast.Dict):
            yield from tabled(code, module, value, texts)
        elif len(texts) > 1 and (at := code.named(module, value)) and code.function(at):
            labels = tuple(text.lower() for text in texts[1:])
            place = code.place(module, value.lineno)
            yield Member(operator=bare(texts[0]), at=at, labels=labels, how="table", place=place)


def texts_of(key: ast.expr | None) -> list[str]:
    parts = key.elts if isinstance(key, ast.Tuple) else [key] if key is not None else []
    return [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]


def bare(operator: str) -> str:
    """`acme::rms_norm.default(Tensor x)` is rms_norm."""
    return operator.rpartition("::")[2].partition("(")[0].partition(".")[0].strip()
