"""
Arithmetic of symbols, as a manifest may write it: + - * / // % **, comparisons, min, max, ceil, cdiv.

Python's own parser reads it; only the node types below are evaluated, so that no name, attribute or call can reach
anything else. Numbers stay ints where the answer is exact.
"""

import ast
import itertools
import math
import operator
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from kgate.load.hints import nearest

Number = int | float

TEXT_LIMIT = 500  # characters
BITS_LIMIT = 256  # of a power's result: enough for any size, too few to hang


class ExpressionError(ValueError):
    """The end of a sentence that begins with where the expression stands."""


class MissingSymbol(ExpressionError):
    """An expression names a symbol that has no value."""

    def __init__(self, name: str, symbols: Mapping[str, int | float | str]) -> None:
        super().__init__(f"{name!r} is not a symbol{nearest(name, symbols)}")
        self.name = name


def quotient(a: Number, b: Number) -> Number:
    """a / b, an int where both are and the division leaves nothing."""
    if isinstance(a, int) and isinstance(b, int) and a % b == 0:
        return a // b
    return a / b


def power(a: Number, b: Number) -> Number:
    if isinstance(a, int) and isinstance(b, int) and b > 0 and a.bit_length() * b > BITS_LIMIT:
        raise ExpressionError(f"the power {a} ** {b} is too large; write a smaller one")
    result = a**b
    if isinstance(result, complex):
        raise ExpressionError(f"the power {a} ** {b} is no real number; mend it")
    return result


def cdiv(a: Number, b: Number) -> Number:
    """a / b rounded up."""
    return -(-a // b)


BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: quotient,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: power,
}
UNARY: Mapping[type[ast.unaryop], Callable[[Any], Number]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}
COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
FUNCTIONS: Mapping[str, Callable[..., Number]] = {"min": min, "max": max, "ceil": math.ceil, "cdiv": cdiv}


def evaluate(text: str, symbols: Mapping[str, int | float | str]) -> Number:
    """The value of `text`; a comparison gives 1 or 0. Raises ExpressionError."""
    with explained(text):
        result = value_of(tree_of(text), symbols)
        finite = math.isfinite(result)  # raises for an int that no float can hold
    if not finite:
        raise ExpressionError(f"{text!r} is not finite; mend it, or the workload's symbols")
    return result


@contextmanager
def explained(text: str) -> Iterator[None]:
    """What arithmetic raises within it is an ExpressionError of this text's."""
    try:
        yield
    except ZeroDivisionError:
        raise ExpressionError(f"{text!r} divides by zero; mend it, or the workload's symbols") from None
    except OverflowError:
        raise ExpressionError(f"{text!r} is too large; mend it, or the workload's symbols") from None
    except (TypeError, RecursionError):
        raise ExpressionError(f"{text!r} is not arithmetic of numbers and symbols; mend it") from None


def names_in(text: str) -> frozenset[str]:
    """The symbols that an expression names; none for a text that is no expression."""
    try:
        tree = tree_of(text)
    except ExpressionError:
        return frozenset()
    return frozenset(n.id for n in ast.walk(tree) if isinstance(n, ast.Name)) - FUNCTIONS.keys()


def tree_of(text: str) -> ast.expr:
    if len(text) > TEXT_LIMIT:
        raise ExpressionError(f"an expression of {len(text)} characters, more than {TEXT_LIMIT}; shorten it")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the parser, about odd literals; they are refused below anyway
            return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        if text.count("(") > text.count(")"):
            raise ExpressionError(f"{text!r} ends early; in a YAML list put what has a comma in quotes") from None
        raise ExpressionError(f"{text!r} is not arithmetic of numbers and symbols; mend it") from None


def value_of(node: ast.expr, symbols: Mapping[str, int | float | str]) -> Number:
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(id=name):
            return symbol(name, symbols)
        case ast.UnaryOp(op=op, operand=operand) if type(op) in UNARY:
            return UNARY[type(op)](value_of(operand, symbols))
        case ast.BinOp(op=op, left=left, right=right) if type(op) in BINARY:
            return BINARY[type(op)](value_of(left, symbols), value_of(right, symbols))
        case ast.Compare() if all(type(op) in COMPARISONS for op in node.ops):
            return compared(node, symbols)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
            return FUNCTIONS[name](*(value_of(a, symbols) for a in args))
        case ast.Call(func=ast.Name(id=name)):
            raise ExpressionError(f"{name!r} is not a function of expressions{nearest(name, FUNCTIONS)}")
    raise ExpressionError(f"{ast.unparse(node)!r} is not arithmetic of numbers and symbols; mend it")


def symbol(name: str, symbols: Mapping[str, int | float | str]) -> Number:
    if name not in symbols:
        raise MissingSymbol(name, symbols)
    value = symbols[name]
    if isinstance(value, str):
        raise ExpressionError(f"the symbol {name!r} is {value!r}, not a number; give it a number")
    return value


def compared(node: ast.Compare, symbols: Mapping[str, int | float | str]) -> int:
    values = [value_of(n, symbols) for n in (node.left, *node.comparators)]
    pairs = itertools.pairwise(values)
    return int(all(COMPARISONS[type(op)](a, b) for op, (a, b) in zip(node.ops, pairs, strict=True)))
