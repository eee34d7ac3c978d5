"""The arguments and answers of a call: in a log line, one by one, copied."""

from collections.abc import Iterator
from typing import Any

from kgate_dispatch.tracing import loaded_torch


def described(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """As in `(bfloat16[333, 4096] on cuda:0, eps=1e-06)`; contents of tensors and of long texts are left out."""
    given = [brief(value) for value in args] + [f"{name}={brief(value)}" for name, value in kwargs.items()]
    return f"({', '.join(given)})"


def brief(value: object) -> str:
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is not None and dtype is not None:
        device = getattr(value, "device", None)
        return f"{str(dtype).removeprefix('torch.')}{list(shape)}" + (f" on {device}" if device is not None else "")
    text = repr(value) if value is None or isinstance(value, bool | int | float | str) else type(value).__name__
    return text if len(text) <= 40 else f"{text[:40]}…"


def is_tensor(value: object) -> bool:
    torch = loaded_torch()
    return torch is not None and isinstance(value, torch.Tensor)


def leaves(value: object) -> Iterator[Any]:
    """The tensors and numbers in a value, in order; whatever else there is is left out."""
    if isinstance(value, list | tuple):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from leaves(item)
    elif is_tensor(value) or isinstance(value, int | float | complex):
        yield value


def copied(value: Any, seen: dict[int, Any]) -> Any:
    """
    The value with its tensors cloned and detached; a tensor that occurs twice is cloned once, as a function may rely
    on being given the same one. `seen` starts empty.
    """
    if is_tensor(value):
        if id(value) not in seen:
            seen[id(value)] = value.detach().clone()
        return seen[id(value)]
    if isinstance(value, dict):
        return {key: copied(item, seen) for key, item in value.items()}
    if isinstance(value, list | tuple):
        items = [copied(item, seen) for item in value]
        if isinstance(value, list):
            return items
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return value
