"""
Parsed JSON to dataclasses, strictly: what `protocol` stands on. Standard library only.

Everything that reads a line from the other side of a wall comes through here, so nothing lenient may be added.
"""

import dataclasses
import json
import math
import sys
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar, Union


class ProtocolError(ValueError):
    """What came over the wall is not of the protocol; the text says what was expected."""


T = TypeVar("T")


def parsed(line: bytes, pairs: Callable[[list[tuple[str, Any]]], dict[str, Any]] | None = None) -> dict[str, Any]:
    """One JSON object; `pairs` makes objects of keys and values, in place of `dict`. Raises ProtocolError."""

    def refuse(text: str) -> None:
        raise ProtocolError(f"{text} is no JSON number")

    def finite(text: str) -> float:
        # 1e999 is JSON, and would be read as infinity.
        if not math.isfinite(float(text)):
            refuse(text)
        return float(text)

    try:
        body = json.loads(line, parse_constant=refuse, parse_float=finite, object_pairs_hook=pairs)
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        raise ProtocolError(f"not JSON: {error}") from error
    if not isinstance(body, dict):
        raise ProtocolError("not a JSON object")
    return body


def build(kind: type[T], body: Any, where: str) -> T:
    """A dataclass from parsed JSON: every field, no other, each of its annotated type."""
    if not isinstance(body, dict):
        raise ProtocolError(f"{where}: not an object")
    hints = typing.get_type_hints(kind)
    fields = {f.name: f for f in dataclasses.fields(kind)}  # type: ignore[arg-type]
    if extra := sorted(set(body) - set(fields)):
        raise ProtocolError(f"{where}: unknown field {extra[0]!r}")
    needed = {n for n, f in fields.items() if f.default is f.default_factory is dataclasses.MISSING}
    if missing := sorted(needed - set(body)):
        raise ProtocolError(f"{where}: field {missing[0]!r} is missing")
    return kind(**{name: coerce(hints[name], value, f"{where}.{name}") for name, value in body.items()})


def coerce(hint: Any, value: Any, where: str) -> Any:
    """`value` as `hint` wants it, or ProtocolError. Bools are no ints here; ints pass as floats."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (Union, types.UnionType):
        return coerce_union(parts, value, where)
    if origin is Literal and value in parts and type(value) is str:
        return value
    if origin is tuple and isinstance(value, list):
        inner = [parts[0]] * len(value) if parts[-1] is Ellipsis else list(parts)
        if len(inner) == len(value):
            return tuple(coerce(h, v, f"{where}[{i}]") for i, (h, v) in enumerate(zip(inner, value, strict=True)))
    if origin is list and isinstance(value, list):
        return [coerce(parts[0], v, where) for v in value]
    if origin in (dict, Mapping) and isinstance(value, dict):
        return {str(k): coerce(parts[1], v, f"{where}.{k}") for k, v in value.items()}
    if dataclasses.is_dataclass(hint) and isinstance(value, dict):
        return build(typing.cast(type, hint), value, where)
    if hint is float and type(value) in (int, float) and abs(value) <= sys.float_info.max:
        return float(value)
    if hint in (int, str, bool, type(None)) and type(value) is hint:
        return value
    raise ProtocolError(f"{where}: {str(value)[:60]!r} is not {getattr(hint, '__name__', hint)}")


def coerce_union(parts: tuple[Any, ...], value: Any, where: str) -> Any:
    """The first alternative that fits, exact scalar types first, so that 1 stays an int under int | float."""
    for part in parts:
        if type(value) is part:
            return value
    for part in parts:
        try:
            return coerce(part, value, where)
        except ProtocolError:
            continue
    raise ProtocolError(f"{where}: {str(value)[:60]!r} fits none of {[getattr(p, '__name__', str(p)) for p in parts]}")
