"""
`refuses` of a manifest: expressions over symbols, scalar arguments, `x.dtype` and `x.contiguous`, and what fits them.

Arithmetic is that of sizes; besides it there are `and`, `or`, `not`, and `==` and `!=` of words, which are dtypes and
symbols that stand for text.
"""

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from kgate.load import layouts
from kgate.load.document import Fields, Mark
from kgate.load.draws import DTYPES, Symbols
from kgate.load.expressions import ExpressionError, MissingSymbol, explained, tree_of, value_of
from kgate.load.hints import nearest
from kgate.model import Refusal
from kgate.protocol import Arg, TensorArg, ValueArg

Values = Mapping[str, int | float | str]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What an expression may name: symbols and scalar arguments by value, and tensors."""

    values: Values
    tensors: Mapping[str, TensorArg]

    def tensor(self, name: str) -> TensorArg:
        if name not in self.tensors:
            raise ExpressionError(f"{name!r} is no tensor among the arguments{nearest(name, self.tensors)}")
        return self.tensors[name]


def refusals(given: Fields) -> tuple[Refusal, ...]:
    return tuple(Refusal(when=line["when"], ending=line["with"]) for line in given.get("refuses", ()))


def refused(lines: Iterable[Refusal]) -> Callable[[Values, Mapping[str, Arg]], Refusal | None]:
    """Of which of them arguments fit; those that an expression makes no sense of fit none."""
    kept = tuple(lines)

    def first(symbols: Values, args: Mapping[str, Arg]) -> Refusal | None:
        try:
            return next((line for line in kept if holds(line.when, symbols, args)), None)
        except ExpressionError:
            return None

    return first


def fitting(given: Fields, symbols: Symbols, args: Mapping[str, Arg]) -> Refusal | None:
    """The first of a kernel's that a workload fits. Raises ManifestError, which names the workload."""
    lines = given.get("refuses", ())
    found = next((line for line in lines if fits(line["when"], line.marks["when"], symbols, args)), None)
    return None if found is None else Refusal(when=found["when"], ending=found["with"])


def fits(when: str, mark: Mark, symbols: Symbols, args: Mapping[str, Arg]) -> bool:
    try:
        return holds(when, symbols, args)
    except MissingSymbol as error:
        raise symbols.missing(error.name, mark) from error
    except ExpressionError as error:
        raise symbols.error(mark, str(error)) from error


def holds(when: str, symbols: Values, args: Mapping[str, Arg]) -> bool:
    """Raises ExpressionError."""
    scalars = {n: a.value for n, a in args.items() if isinstance(a, ValueArg) and a.value is not None}
    tensors = {n: a for n, a in args.items() if isinstance(a, TensorArg)}
    with explained(when):
        return truth(tree_of(when), Asked(values={**scalars, **symbols}, tensors=tensors))


def truth(node: ast.expr, asked: Asked) -> bool:
    match node:
        case ast.BoolOp(op=ast.And(), values=parts):
            return all(truth(part, asked) for part in parts)
        case ast.BoolOp(values=parts):
            return any(truth(part, asked) for part in parts)
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return not truth(inner, asked)
        case ast.Attribute(value=ast.Name(id=name), attr="contiguous"):
            return contiguous(asked.tensor(name))
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() as sign], comparators=[right]):
            words = word(left, asked), word(right, asked)
            if None not in words:
                return (words[0] == words[1]) is isinstance(sign, ast.Eq)
    return bool(value_of(node, asked.values))


def word(node: ast.expr, asked: Asked) -> str | None:
    """The text that a node stands for; None where it is a number's."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Attribute(value=ast.Name(id=name), attr="dtype"):
            return asked.tensor(name).dtype
        case ast.Name(id=name) if name in asked.values:
            value = asked.values[name]
            return value if isinstance(value, str) else None
        case ast.Name(id=name) if name in DTYPES:
            return name
    return None


def contiguous(tensor: TensorArg) -> bool:
    """As torch has it: sizes of one have any stride."""
    if tensor.strides is None or 0 in tensor.shape:
        return True
    plain = layouts.contiguous(tensor.shape)
    return all(s == p for n, s, p in zip(tensor.shape, tensor.strides, plain, strict=True) if n > 1)
