"""How far apart two values are, each a nest of tensors and numbers."""

import math
from dataclasses import dataclass
from typing import Any

from kgate_dispatch.arguments import brief, is_tensor, leaves
from kgate_dispatch.tracing import loaded_torch

PART = 2**20  # elements that are compared at once: temporaries of about 100 MB


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
    """Equal infinities, and NaNs at the same places, are no difference. In float64, part by part to save memory."""
    torch: Any = loaded_torch()
    if value.numel() == 0:
        return Difference(max_abs=0.0, relative_l2=0.0)
    halves = (tensor.detach().reshape(-1).split(PART) for tensor in (value, expected))
    parts = torch.stack([of_part(torch, a, b) for a, b in zip(*halves, strict=True)])
    squares, size_squares = parts[:, 1:].sum(0).tolist()
    return relative(math.sqrt(squares), math.sqrt(size_squares), float(parts[:, 0].max()))


def of_part(torch: Any, value: Any, expected: Any) -> Any:
    """The largest distance, the sum of their squares, and the sum of the squares of what was expected."""
    a, b = (part.to(torch.complex128 if part.is_complex() else torch.float64) for part in (value, expected))
    same = (a == b) | (a.isnan() & b.isnan())
    apart = torch.where(same, 0, a - b).abs()
    size = torch.where(b.isfinite(), b, 0).abs()
    return torch.stack([apart.max(), apart.square().sum(), size.square().sum()])


def relative(norm: float, size: float, max_abs: float) -> Difference:
    ratio = norm / size if size else (0.0 if norm == 0 else math.inf)
    return Difference(max_abs=max_abs, relative_l2=ratio if not math.isnan(norm) else math.nan)
