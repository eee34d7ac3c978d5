"""What is kept of an argument: shapes, dtypes, strides, scalars, and bounds of tensors; never a tensor's values."""

import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

SAMPLED = 1 << 14  # elements that bounds are taken from, spread over the whole
TEXT = 64  # characters of a text; a longer one is no choice between ways to compute
SCALARS = frozenset((bool, int, float, str, type(None)))


def key(args: tuple[Any, ...], kwargs: Mapping[str, Any], tensors: frozenset[type]) -> tuple[Any, ...]:
    """
    Equal for calls of the same form. `tensors` are the types of plain tensors. One flat tuple, since this is what each
    call pays: about 1 µs a tensor.
    """
    parts: list[Any] = [*kwargs]
    for value in (*args, *kwargs.values()) if kwargs else args:
        kind = type(value)
        if kind in tensors:
            parts += (value.shape, value.stride(), value.dtype, value.device)
        elif kind in SCALARS:
            parts += (kind, value)
        else:
            parts += others(value, tensors)
    return tuple(parts)


def others(value: Any, tensors: frozenset[type]) -> tuple[Any, ...]:
    kind = type(value)
    if kind in (tuple, list):
        return (kind, len(value), *key(tuple(value), {}, tensors))
    if kind is dict:
        return (kind, len(value), *key((), value, tensors))
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return (kind, value.shape, strides(value), value.dtype, value.device)
    return (kind,)


def strides(tensor: Any) -> tuple[int, ...] | None:
    """In elements; None where contiguous, or without any."""
    torch = sys.modules["torch"]
    if tensor.layout is not torch.strided or tensor.is_contiguous():
        return None
    return tuple(tensor.stride())


def plain(value: Any) -> dict[str, Any]:
    """As JSON: a tensor, a scalar, a list or a mapping of these; of all else the type's name."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return {
            "shape": list(value.shape),
            "dtype": str(value.dtype).removeprefix("torch."),
            "device": value.device.type,
            "strides": strides(value) and list(strides(value) or ()),
        }
    if isinstance(value, tuple | list):
        return {"items": [plain(inner) for inner in value]}
    if isinstance(value, Mapping):
        return {"fields": {str(name): plain(inner) for name, inner in value.items()}}
    if type(value) in SCALARS and kept(value):
        return {"value": value}
    return {"type": f"{type(value).__module__}.{type(value).__qualname__}"}


def kept(value: Any) -> bool:
    """A number that JSON has, or a short text."""
    if isinstance(value, str):
        return len(value) <= TEXT
    return not isinstance(value, float) or math.isfinite(value)


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """Of the finite elements that were looked at."""

    low: float
    high: float
    mean: float
    std: float

    def joined(self, other: "Bounds") -> "Bounds":
        """Of both; mean and deviation as of equally many elements."""
        mean = (self.mean + other.mean) / 2
        variance = (self.std**2 + other.std**2) / 2 + ((self.mean - other.mean) / 2) ** 2
        return Bounds(low=min(self.low, other.low), high=max(self.high, other.high), mean=mean, std=math.sqrt(variance))

    def document(self) -> dict[str, float]:
        return {"low": self.low, "high": self.high, "mean": self.mean, "std": self.std}


def bounds_in(values: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Bounds]]:
    """Of each tensor at any depth, by its path: names and places behind dots."""
    torch = sys.modules.get("torch")
    for name, value in values.items():
        path = f"{above}{name}"
        if torch is not None and isinstance(value, torch.Tensor):
            if found := bounds(torch, value):
                yield path, found
        elif isinstance(value, tuple | list):
            yield from bounds_in({str(n): inner for n, inner in enumerate(value)}, f"{path}.")
        elif isinstance(value, Mapping):
            yield from bounds_in({str(n): inner for n, inner in value.items()}, f"{path}.")


def bounds(torch: Any, tensor: Any) -> Bounds | None:
    """None for what has no elements here, or may not be read now: while a graph is captured, or traced."""
    known = type(tensor) in (torch.Tensor, torch.nn.Parameter) and tensor.layout is torch.strided
    if not known or tensor.is_meta or not tensor.numel() or tensor.is_complex():
        return None
    if tensor.is_cuda and torch.cuda.is_current_stream_capturing():
        return None
    with torch.no_grad():
        values = sample(tensor.detach()).to(torch.float64)
        values = values[torch.isfinite(values)]
        if not values.numel():
            return None
        found = torch.stack((values.amin(), values.amax(), values.mean(), values.std(correction=0))).tolist()
    # Of integers the bounds themselves: an index drawn from rounded ones could point beyond what it points into.
    low, high = map(rounded, found[:2]) if tensor.is_floating_point() else found[:2]
    return Bounds(low=low, high=high, mean=rounded(found[2]), std=rounded(found[3]))


def rounded(value: float) -> float:
    """To four digits: enough to draw from, and no element of the tensor."""
    return float(f"{value:.4g}")


def sample(tensor: Any) -> Any:
    """At most about SAMPLED elements, evenly spread, as a view."""
    steps, left = [], tensor.numel()
    for size in tensor.shape:
        step = min(size, max(1, -(-left // SAMPLED)))
        steps.append(slice(None, None, step))
        left = left // size * -(-size // step)
    return tensor[tuple(steps)]
