"""One argument of several calls as a manifest writes it, and how its values are drawn."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from kgate.captured import ArgSeen, Bounds, ListSeen, MapSeen, ScalarSeen, TensorSeen
from kgate.drafting.symbols import Symbols
from kgate.load import layouts
from kgate.load.draws import DISTRIBUTIONS, FLOATING

FLAT = 1 / math.sqrt(12)  # standard deviation of an even distribution over its width
NEAR = 0.1  # how far a deviation may be from that, and a mean from 0 as a share of the deviation


def node(values: Sequence[ArgSeen], name: str, symbols: Symbols) -> Any:
    """`values` are of one form. A symbol stands where they differ."""
    first = values[0]
    if isinstance(first, TensorSeen):
        return tensor([v for v in values if isinstance(v, TensorSeen)], name, symbols)
    if isinstance(first, ListSeen):
        rows = zip(*(v.items for v in values if isinstance(v, ListSeen)), strict=True)
        return [node(row, name, symbols) for row in rows]
    if isinstance(first, MapSeen):
        maps = [v.fields for v in values if isinstance(v, MapSeen)]
        return {key: node([fields[key] for fields in maps], key, symbols) for key in first.fields}
    return symbols.text([v.value for v in values if isinstance(v, ScalarSeen)], name)


def spelt(value: ArgSeen, name: str) -> Any:
    """Of a single call, with all that the kernel's own argument might otherwise lend it."""
    if isinstance(value, TensorSeen):
        lone = Symbols(1, taken=set())
        strides = list(value.strides or layouts.contiguous(value.shape))
        made = {**tensor([value], name, lone), "strides": strides}
        return made if any(key in made for key in DISTRIBUTIONS) else {**made, "normal": {}}
    if isinstance(value, ListSeen):
        return [spelt(inner, name) for inner in value.items]
    if isinstance(value, MapSeen):
        return {key: spelt(inner, key) for key, inner in value.fields.items()}
    return value.value if isinstance(value, ScalarSeen) else None


def tensor(values: Sequence[TensorSeen], name: str, symbols: Symbols) -> Mapping[str, Any]:
    shape = [symbols.text(row) for row in zip(*(v.shape for v in values), strict=True)]
    made: dict[str, Any] = {"shape": shape, "dtype": values[0].dtype}
    if any(v.strides is not None for v in values):
        rows = zip(*(v.strides or layouts.contiguous(v.shape) for v in values), strict=True)
        made["strides"] = [symbols.text(row) for row in rows]
    return {**made, **distribution(values, name, symbols)}


def distribution(values: Sequence[TensorSeen], name: str, symbols: Symbols) -> Mapping[str, Any]:
    bounds = [v.bounds for v in values if v.bounds]
    dtype = values[0].dtype
    if dtype == "bool":
        share = sum(b.mean for b in bounds) / len(bounds) if bounds else 0.5
        return {"mask": {"p": rounded(min(1.0, max(0.0, share)))}}
    if dtype not in FLOATING:
        return {"integers": integers(values, name, symbols)}
    return floats(bounds)


def integers(values: Sequence[TensorSeen], name: str, symbols: Symbols) -> Mapping[str, Any]:
    """
    As far as each call went and no further: what an index points into may end there. Zeros where nothing is known.
    """
    low = min((int(v.bounds.low) for v in values if v.bounds), default=0)
    high = symbols.text([int(v.bounds.high) + 1 if v.bounds else 1 for v in values], f"{name}_high")
    return {"low": low, "high": high} if low < 0 else {"high": high}


def floats(bounds: Sequence[Bounds]) -> Mapping[str, Any]:
    """
    Even where the deviation says so, else normal; the default, of mean 0 and deviation 1, is not written. Parameters
    that have not been trained are spread a little: equal elements would hide a kernel that does not read them.
    """
    if not bounds:
        return {}
    low, high = min(b.low for b in bounds), max(b.high for b in bounds)
    mean = sum(b.mean for b in bounds) / len(bounds)
    std = max(b.std for b in bounds)
    if low == high:
        mean, std = low, max(abs(low) / 10, NEAR)
    elif abs(std / (high - low) - FLAT) <= NEAR * FLAT:
        return {"uniform": {"low": rounded(low), "high": rounded(high)}}
    normal = {} if abs(mean) <= NEAR * std else {"mean": rounded(mean)}
    if abs(std - 1) > NEAR:
        normal["std"] = rounded(std)
    return {"normal": normal} if normal else {}


def rounded(value: float) -> float:
    return float(f"{value:.2g}")
