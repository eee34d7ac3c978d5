"""Arguments of the manifest to arguments of the protocol: shapes and strides to numbers, values to Fills."""

import hashlib
from dataclasses import dataclass
from typing import Any

from kgate.load import draws, layouts, roles
from kgate.load.document import Fields, Items, Mark
from kgate.load.draws import Symbols
from kgate.load.form import shown
from kgate.protocol import Arg, ListArg, MapArg, TensorArg, ValueArg


@dataclass(frozen=True, kw_only=True)
class Binding:
    """What an argument's text may stand for, and what keys its values: `kernel/workload` and the workload's seed."""

    key: str
    seed: int
    symbols: Symbols

    def stream(self, path: str) -> int:
        """The generator's 64-bit key of the tensor at `path`: the first 16 hexadecimal digits of a digest."""
        return int.from_bytes(hashlib.sha256(f"{self.key}/{path}/{self.seed}".encode()).digest()[:8], "big")


def is_tensor(value: Any) -> bool:
    return isinstance(value, Fields) and ("shape" in value or "dtype" in value)


def argument(value: Any, mark: Mark, path: str, binding: Binding) -> Arg:
    """`value` has passed the schema. `path` is the argument's name, with keys and indices behind dots."""
    if isinstance(value, Fields):
        if is_tensor(value):
            return tensor(value, path, binding)
        return MapArg(items={k: argument(v, m, f"{path}.{k}", binding) for k, v, m in value.marked()})
    if isinstance(value, Items):
        inner = enumerate(value.marked())
        return ListArg(items=tuple(argument(v, m, f"{path}.{i}", binding) for i, (v, m) in inner))
    if isinstance(value, str):
        return ValueArg(value=binding.symbols.get(value, value))
    return ValueArg(value=value)


def tensor(given: Fields, path: str, binding: Binding) -> TensorArg:
    symbols = binding.symbols
    dtype = dtype_of(given, symbols)
    shape = sizes(given["shape"], symbols)
    strides = strides_of(given, shape, symbols)
    role = roles.role_of(given)
    fill = roles.fill(given, dtype, shape, symbols) if role else draws.fill(given, dtype, symbols)
    scale = draws.number(given.get("scale", 1), symbols, given.marks.get("scale", given.at))
    return TensorArg(
        shape=shape,
        dtype=dtype,
        fill=fill,
        stream=binding.stream(path),
        strides=strides,
        scale=float(scale),
        zeros=float(given.get("zeros", 0)),
        fixed=draws.fixed(fill, dtype),
        role=role,
    )


def dtype_of(given: Fields, symbols: Symbols) -> str:
    written = given["dtype"]
    dtype = symbols.get(written, written)
    if dtype not in draws.DTYPES:
        raise given.marks["dtype"].error(f"{shown(dtype)} is not a dtype{draws.nearest_dtype(str(dtype))}")
    return str(dtype)


def sizes(given: Items, symbols: Symbols) -> tuple[int, ...]:
    numbers = []
    for value, mark in given.marked():
        size = draws.whole(value, symbols, mark)
        if size < 0:
            raise symbols.error(mark, f"{value!r} is {size}, less than 0; mend it, or the workload's symbols")
        numbers.append(size)
    return tuple(numbers)


def strides_of(given: Fields, shape: tuple[int, ...], symbols: Symbols) -> tuple[int, ...] | None:
    if "strides" in given and "layout" in given:
        raise given.marks["layout"].error("'layout' and 'strides' say the same thing; keep one")
    name = next((n for n in ("strides", "layout") if n in given), "shape")
    try:
        if name == "strides":
            strides = sizes(given["strides"], symbols)
        else:
            strides = layouts.named(given["layout"], shape) if name == "layout" else layouts.contiguous(shape)
        layouts.check(shape, strides)
    except layouts.LayoutError as error:
        raise given.marks[name].error(str(error)) from error
    return None if name == "shape" else strides
