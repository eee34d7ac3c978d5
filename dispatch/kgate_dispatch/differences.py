"""How far apart two values are, each a nest of tensors and numbers."""

import math
from dataclasses import dataclass
from typing import Any

from kgate_dispatch.arguments import brief, is_tensor, leaves
from kgate_dispatch.tracing import loaded_torch


@dataclass(frozen=True, kw_only=True)
class Difference:
    max_abs: float
    relative_l2: float


def largest(value: object, expected: object) -> Difference:
    """The largest of each number over all tensors. Raises ValueError where the two are not of one form."""
    pairs = list(zip(*matched(list(leaves(value)), list(leaves(expected))), strict=True))
    found = [of_tensors(a, b) if is_tensor(a) else of_numbers(a, b) for a, b in pairs]
    return Difference(
        max_abs=largest_of([one.max_abs for one in found]), relative_l2=largest_of([one.relative_l2 for one in found])
    )


def matched(values: list[Any], expected: list[Any]) -> tuple[list[Any], list[Any]]:
    if len(values) != len(expected):
        raise ValueError(f"the custom path gave {len(values)} tensors and numbers, the fallback {len(expected)}")
    for a, b in zip(values, expected, strict=True):
        if is_tensor(a) != is_tensor(b) or (is_tensor(a) and (a.shape, a.dtype) != (b.shape, b.dtype)):
            raise ValueError(f"the custom path gave {brief(a)}, the fallback {brief(b)}")
    return values, expected


def largest_of(numbers: list[float]) -> float:
    """NaN where one is NaN, which max() does not promise; 0 for none."""
    return math.nan if any(math.isnan(number) for number in numbers) else max(numbers, default=0.0)


def of_numbers(value: complex, expected: complex) -> Difference:
    if value == expected or (value != value and expected != expected):  # a NaN differs from itself
        return Difference(max_abs=0.0, relative_l2=0.0)
    return relative(abs(value - expected), abs(expected), abs(value - expected))


def of_tensors(value: Any, expected: Any) -> Difference:
    """Equal infinities, and NaNs at the same places, are no difference. Subtracted in float32 or wider."""
    torch: Any = loaded_torch()
    if value.numel() == 0:
        return Difference(max_abs=0.0, relative_l2=0.0)
    a, b = (wide(torch, tensor.detach()) for tensor in (value, expected))
    same = (a == b) | (a.isnan() & b.isnan())
    apart = torch.where(same, 0, a - b).abs()
    size = torch.where(b.isfinite(), b, 0).abs()
    largest_apart, norm, size_norm = torch.stack([apart.max(), apart.norm(), size.norm()]).tolist()
    return relative(norm, size_norm, largest_apart)


def wide(torch: Any, tensor: Any) -> Any:
    if tensor.is_complex():
        return tensor
    exact = tensor.dtype in (torch.float64, torch.int32, torch.int64)
    return tensor.to(torch.float64 if exact else torch.float32)


def relative(norm: float, size: float, max_abs: float) -> Difference:
    ratio = norm / size if size else (0.0 if norm == 0 else math.inf)
    return Difference(max_abs=max_abs, relative_l2=ratio if not math.isnan(norm) else math.nan)
