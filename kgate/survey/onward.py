"""Whom a function leaves its own arguments to: how a dispatcher is known, and what it chooses between."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kgate.load.source import Definition, Module
from kgate.survey.code import Code
from kgate.survey.natives import Function

# Asks whether a path may be taken, and is none.
QUESTION = re.compile(r"_*(is|can|use|uses|should|supports?|supported|has|check|validate|enabled|available)(_|$)")


@dataclass(frozen=True, kw_only=True)
class Onward:
    """A callee that answers for the function. `at` is None where it is none of the tree's, but torch's."""

    at: Definition | None
    text: str  # module:function
    line: int


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """Positional ones in their order; the last ones have the `defaults`."""

    names: tuple[str, ...]
    defaults: tuple[ast.expr, ...] = ()

    @property
    def required(self) -> tuple[str, ...]:
        return self.names[: len(self.names) - len(self.defaults)]

    def default_of(self, name: str) -> ast.expr | None:
        place = self.names.index(name) - len(self.required)
        return self.defaults[place] if place >= 0 else None


def parameters(node: Function) -> Parameters:
    names = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
    return Parameters(names=tuple(names), defaults=tuple(node.args.defaults))


def chooses(node: Function) -> bool:
    """Whether there is more than one way through."""
    return any(isinstance(inner, ast.If | ast.IfExp | ast.Try | ast.Match) for inner in ast.walk(node))


def onward(code: Code, start: Definition) -> Iterator[Onward]:
    """In the order written: callees whose answer is the function's own, and that get all that it has to be given."""
    module, node = code.sources.module(start[0]), code.function(start)
    if module is None or node is None:
        return
    own = parameters(node)
    for call in answers(node):
        for target, given in targets(call, node, own):
            found = seen(code, module, target) if passes(own, given) else None
            if found and found.at != start and not QUESTION.match(found.text.rpartition(":")[2]):
                yield found


def answers(node: Function) -> Iterator[ast.Call]:
    """Calls that are what the function returns."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Return) and inner.value is not None:
            yield from (value for value in possible(inner.value, node) if isinstance(value, ast.Call))


def possible(value: ast.expr, within: Function, depth: int = 3) -> Iterator[ast.expr]:
    """What an expression may come to: both sides of a choice, all that a local name was given."""
    if isinstance(value, ast.IfExp):
        yield from (each for side in (value.body, value.orelse) for each in possible(side, within, depth))
    elif isinstance(value, ast.BoolOp):
        yield from (each for side in value.values for each in possible(side, within, depth))
    elif isinstance(value, ast.Name) and depth and (given := tuple(assigned(value.id, within))):
        yield from (each for one in given for each in possible(one, within, depth - 1))
    else:
        yield value


def assigned(name: str, within: Function) -> Iterator[ast.expr]:
    for node in ast.walk(within):
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            yield node.value


def targets(call: ast.Call, within: Function, own: Parameters) -> Iterator[tuple[ast.expr, Sequence[ast.expr]]]:
    """Whom a call may call, and with what: the callee, and functions that it hands on together with the arguments."""
    keywords = [k.value for k in call.keywords]
    for target in possible(call.func, within):
        yield target, (*call.args, *keywords)
    handed = [
        arg for arg in call.args if isinstance(arg, ast.Name | ast.Attribute) and given_name(arg) not in own.names
    ]
    rest = [arg for arg in call.args if arg not in handed]
    for target in handed:
        yield target, (*rest, *keywords)


def passes(own: Parameters, given: Sequence[ast.expr]) -> bool:
    """Whether a call hands on all that has to be given, in its order, and nothing else; stars count as all."""
    if any(isinstance(arg, ast.Starred) for arg in given):
        return True
    names = [given_name(arg) for arg in given]
    known = bool(names) and all(name in own.names for name in names)
    return known and tuple(name for name in names if name in own.required) == own.required


def given_name(arg: ast.expr) -> str:
    """The name that an argument is, also where it is made dense first: `x`, `x.contiguous()`, `dense(x)`."""
    match arg:
        case ast.Name(id=name):
            return name
        case ast.Call(func=ast.Attribute(value=inner), args=[]):
            return given_name(inner)
        case ast.Call(func=ast.Name(), args=[inner]):
            return given_name(inner)
    return ""


def seen(code: Code, module: Module, target: ast.expr) -> Onward | None:
    line = target.lineno
    if found := code.named(module, target):
        return Onward(at=found, text=":".join(found), line=line) if code.function(found) else None
    holder, _, name = module.dotted(target).rpartition(".")
    if holder.partition(".")[0] == "torch" and not holder.startswith("torch.ops"):
        return Onward(at=None, text=f"{holder}:{name}", line=line)
    return None
