"""Calls held to arguments that a manifest declares already: which values its symbols have in each call."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kgate.captured import ArgSeen, CallSeen, ListSeen, MapSeen, ScalarSeen, TensorSeen
from kgate.load import layouts
from kgate.load.draws import DTYPES
from kgate.load.expressions import ExpressionError, evaluate, names_in

Value = int | float | str


class Unfit(Exception):
    """Why a call is none of what the manifest declares, as the end of a sentence."""


@dataclass(frozen=True, kw_only=True)
class Fit:
    """What is known so far: values of symbols, and arithmetic of them that has to come to a size."""

    values: dict[str, Value] = field(default_factory=dict)
    owed: list[tuple[str, int, str]] = field(default_factory=list)  # text, size, argument

    def bind(self, symbol: str, value: Value, name: str) -> None:
        if isinstance(value, bool) or not symbol.isidentifier() or self.values.setdefault(symbol, value) != value:
            raise Unfit(f"{name} asks for another {symbol}")

    def size(self, wanted: Any, size: int, name: str) -> None:
        if isinstance(wanted, str) and wanted.isidentifier():
            self.bind(wanted, size, name)
        else:
            self.owed.append((str(wanted), size, name))


def symbols_of(declared: Mapping[str, Any], call: CallSeen, needed: Mapping[str, Any]) -> dict[str, Value]:
    """
    `declared` is the manifest's `args`, `needed` texts besides it whose symbols have to be known. Raises Unfit.

    Symbols that stand alone are taken from the call; arithmetic of them has to come to what was seen.
    """
    if list(declared) != list(call.args):
        raise Unfit(f"it was called with {', '.join(call.args) or 'nothing'}")
    found = Fit()
    for name, given in declared.items():
        fit(given, call.args[name], name, found)
    for text, size, name in found.owed:
        held(text, size, name, found.values)
    texts = [text for text in needed.values() if isinstance(text, str)]
    wanting = {symbol for text in texts for symbol in names_in(text)} - set(found.values)
    if wanting:
        raise Unfit(f"no call tells {', '.join(sorted(wanting))}")
    return found.values


def fit(given: Any, seen: ArgSeen, name: str, found: Fit) -> None:
    match seen:
        case TensorSeen() if isinstance(given, Mapping) and "shape" in given:
            fit_tensor(given, seen, name, found)
        case ScalarSeen() if given == seen.value:
            return
        case ScalarSeen() if isinstance(given, str) and seen.value is not None:
            found.bind(given, seen.value, name)
        case ListSeen() if isinstance(given, list) and len(given) == len(seen.items):
            for number, (inner, value) in enumerate(zip(given, seen.items, strict=True)):
                fit(inner, value, f"{name}[{number}]", found)
        case MapSeen() if isinstance(given, Mapping) and list(given) == list(seen.fields):
            for key, inner in given.items():
                fit(inner, seen.fields[key], f"{name}.{key}", found)
        case _:
            raise Unfit(f"{name} is not of the declared form")


def fit_tensor(given: Mapping[str, Any], seen: TensorSeen, name: str, found: Fit) -> None:
    if len(given["shape"]) != len(seen.shape):
        raise Unfit(f"{name} has {len(seen.shape)} dimensions")
    if given["dtype"] not in DTYPES:
        found.bind(given["dtype"], seen.dtype, name)
    elif given["dtype"] != seen.dtype:
        raise Unfit(f"{name} is {seen.dtype}")
    pairs = list(zip(given["shape"], seen.shape, strict=True))
    if "strides" in given:
        pairs += zip(given["strides"], seen.strides or layouts.contiguous(seen.shape), strict=True)
    elif seen.strides is not None and "layout" not in given:
        raise Unfit(f"{name} is not contiguous")
    for wanted, size in pairs:
        found.size(wanted, size, name)


def held(text: str, size: int, name: str, values: Mapping[str, Value]) -> None:
    try:
        come_to = evaluate(text, values)
    except ExpressionError as error:
        raise Unfit(f"{name}: {error}") from error
    if come_to != size:
        raise Unfit(f"{name} has {size} where {text} is {come_to:g}")
