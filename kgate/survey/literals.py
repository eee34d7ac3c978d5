"""
What a test's expressions come to, as far as they can be read: numbers, texts, dtypes, sizes; a name that takes several
values, by `pytest.mark.parametrize` or a loop over a literal, becomes a symbol.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kgate.load.draws import ALIASES, DTYPES


class Unread(Exception):
    """What stands there cannot be told without running it."""


@dataclass(frozen=True, kw_only=True)
class Symbol:
    """A name that takes several values."""

    name: str


@dataclass(frozen=True, kw_only=True)
class Names:
    """
    What is known where a call stands. `values`: expressions by name; `symbols`: names that take several values, with
    how many each of these has (1, or the length of a tuple); `taken` collects those that something has made use of.
    """

    values: Mapping[str, ast.expr]
    symbols: Mapping[str, int] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)

    def read(self, node: ast.expr, depth: int = 8) -> Any:
        """
        A number, text, None, a list of these, or a Symbol; arithmetic of symbols is text as a manifest has it. Raises
        Unread.
        """
        if depth == 0:
            raise Unread(ast.unparse(node))
        match node:
            case ast.Constant(value=value) if value is None or isinstance(value, bool | int | float | str):
                return value
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return negated(self.read(inner, depth - 1))
            case ast.Name(id=name) if name in self.symbols:
                return self.symbol(name)
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=int(place))) if name in self.symbols:
                return self.symbol(name)[place]
            case ast.Name(id=name) if name in self.values:
                return self.read(self.values[name], depth - 1)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return [self.read(part, depth - 1) for part in parts]
            case ast.BinOp(left=left, right=right):
                return self.arithmetic(node, self.read(left, depth - 1), self.read(right, depth - 1))
            case ast.Attribute(value=ast.Name(id="torch"), attr=name) if dtype_of(name):
                return dtype_of(name)
        raise Unread(ast.unparse(node))

    def symbol(self, name: str) -> Any:
        """Of a tuple `shape` the symbols shape0, shape1, …"""
        length = self.symbols[name]
        parts = [name] if length == 1 else [f"{name}{place}" for place in range(length)]
        self.taken.update(parts)
        return Symbol(name=name) if length == 1 else [Symbol(name=part) for part in parts]

    def arithmetic(self, node: ast.BinOp, left: Any, right: Any) -> Any:
        sign = SIGNS.get(type(node.op))
        if sign is None or not all(isinstance(side, int | float | str | Symbol) for side in (left, right)):
            raise Unread(ast.unparse(node))
        if isinstance(left, int) and isinstance(right, int):
            return whole(left, sign, right)
        return f"{part(left)} {sign} {part(right)}"


SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Pow: "**", ast.Mod: "%"}


def whole(left: int, sign: str, right: int) -> int:
    match sign:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "**" if 0 <= right < 64 and abs(left) < 1 << 16:
            return int(left**right)
        case "//" if right:
            return left // right
        case "%" if right:
            return left % right
    raise Unread(f"{left} {sign} {right}")


def part(value: Any) -> str:
    if isinstance(value, Symbol):
        return value.name
    return f"({value})" if isinstance(value, str) else str(value)


def plain(value: Any) -> Any:
    """As a manifest writes it: a symbol by its name."""
    if isinstance(value, Symbol):
        return value.name
    return [plain(each) for each in value] if isinstance(value, list) else value


def negated(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Unread("a minus before what is no number")
    return -value


def dtype_of(name: str) -> str:
    """The manifest's name of `torch.half`; "" for what is no dtype."""
    found = ALIASES.get(name, name)
    return found if found in DTYPES else ""


def rows(name: str, node: ast.expr, known: Names) -> Sequence[Mapping[str, Any]]:
    """
    What one `parametrize`, or loop, gives its names: a mapping for each of its values. `name` may be several, as in
    "M,N". Raises Unread.
    """
    names = [each.strip() for each in name.split(",") if each.strip()]
    listed = known.values.get(node.id, node) if isinstance(node, ast.Name) else node
    if not isinstance(listed, ast.List | ast.Tuple):
        raise Unread(ast.unparse(node))
    found = []
    for item in listed.elts:
        values = values_of(item, known, single=len(names) == 1)
        if len(values) == len(names):
            found.append(dict(zip(names, values, strict=True)))
    return found


def values_of(item: ast.expr, known: Names, *, single: bool) -> Sequence[Any]:
    if isinstance(item, ast.Call) and ast.unparse(item.func).endswith("param"):
        return [known.read(arg) for arg in item.args]  # pytest.param(…, id=…)
    value = known.read(item)
    return [value] if single else value if isinstance(value, list) else [value]
