"""A function made slower on purpose, in ways that happen to kernels: what `kgate inject` puts in."""

import functools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from kgate.protocol import Dose
from kgate.worker.faults import Fault

Function = Callable[..., Any]


def dosed(function: Function, dose: Dose) -> Function:
    """What it returns stays as it is. A dose of inputs' places is put in where they are allocated."""
    put_in: Mapping[str, Callable[[Function, int, tuple[Any, ...], dict[str, Any]], None]] = {
        "more-work": once_more,
        "extra-load": copied,
        "host-delay": waited,
    }
    extra = put_in.get(dose.way)
    if extra is None:
        return function

    @functools.wraps(function)
    def slower(*args: Any, **keywords: Any) -> Any:
        returned = function(*args, **keywords)
        extra(function, dose.amount, args, keywords)
        return returned

    return slower


def once_more(function: Function, rows: int, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    most = max((len(tensor) for tensor in tensors_in((*args, *keywords.values())) if tensor.dim()), default=0)
    if not 0 < rows < most:
        raise Fault("run", "unavailable", f"no argument has more than {rows} rows, to call it on a part of them")

    def part(value: Any) -> Any:
        return value[:rows] if is_tensor(value) and value.dim() and len(value) == most else value

    function(*map(part, args), **{name: part(value) for name, value in keywords.items()})


def copied(function: Function, size_bytes: int, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    import torch

    largest = max(
        (tensor for tensor in tensors_in((*args, *keywords.values())) if tensor.is_contiguous()),
        key=lambda tensor: tensor.numel() * tensor.element_size(),
        default=None,
    )
    if largest is None:
        raise Fault("run", "unavailable", "no argument is a contiguous tensor, of which a part could be loaded")
    largest.detach().view(-1).view(torch.uint8)[:size_bytes].clone()


def waited(function: Function, ns: int, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    until = time.perf_counter_ns() + ns
    while time.perf_counter_ns() < until:
        pass


def tensors_in(values: Sequence[Any]) -> Iterator[Any]:
    for value in values:
        if is_tensor(value):
            yield value
        elif isinstance(value, list | tuple):
            yield from tensors_in(value)
        elif isinstance(value, dict):
            yield from tensors_in(list(value.values()))


def is_tensor(value: Any) -> bool:
    import torch

    return isinstance(value, torch.Tensor)
