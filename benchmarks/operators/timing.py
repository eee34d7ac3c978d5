"""How benchmarks/gallery.py judges a result and times a call."""

import random
from collections.abc import Callable
from typing import Any

import torch

SLEEP_CYCLES = 200_000  # 0.1 ms at 2 GHz, longer than any launch takes to be queued


def verdict(custom: Callable[..., Any], fallback: Callable[..., Any], inputs: tuple[Any, ...]) -> dict[str, Any]:
    """Errors of kernel and fallback against the fallback in float64, and a note where the kernel's is too large."""
    reference = as_list(fallback(*(widened(x) for x in inputs)))
    expected, found = as_list(fallback(*inputs)), as_list(custom(*inputs))
    error = max(distance(x, r) for x, r in zip(found, reference, strict=True))
    theirs = max(distance(x, r) for x, r in zip(expected, reference, strict=True))
    step = max(torch.finfo(x.dtype).eps * (16 if x.dtype == torch.float32 else 1) for x in expected)
    row: dict[str, Any] = {"error": error, "fallback_error": theirs}
    if any(x.shape != e.shape or x.dtype != e.dtype for x, e in zip(found, expected, strict=True)):
        row["note"] = "another shape or dtype than the fallback's"
    elif not error <= max(3 * theirs, step):
        row["note"] = f"WRONG: error {error:.1e}, fallback {theirs:.1e}"
    return row


def as_list(outputs: Any) -> list[Any]:
    return list(outputs) if isinstance(outputs, tuple) else [outputs]


def widened(x: Any) -> Any:
    return x.double() if isinstance(x, torch.Tensor) and x.is_floating_point() else x


def distance(x: Any, reference: Any) -> float:
    """The largest difference as a share of the largest value of the reference; inf where NaN stands in one alone."""
    if x.numel() == 0:
        return 0.0
    x = x.double()
    if not bool((x.isnan() == reference.isnan()).all()):
        return float("inf")
    largest = reference.nan_to_num().abs().max().item()
    return ((x - reference).nan_to_num().abs().max().item()) / (largest or 1.0)


def times(flush: Any, samples: int, *calls: Callable[[], Any]) -> list[list[float]]:
    """Device times in ns of each call, alternating in random order."""
    for call in calls:
        for _ in range(3):
            call()
    torch.cuda.synchronize()
    draw = random.Random(1)
    found: list[list[Any]] = [[] for _ in calls]
    for _ in range(samples):
        for arm in draw.sample(range(len(calls)), len(calls)):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            torch.cuda._sleep(SLEEP_CYCLES)
            flush.zero_()
            start.record()
            calls[arm]()
            end.record()
            found[arm].append((start, end))
        torch.cuda.synchronize()
    return [[1e6 * start.elapsed_time(end) for start, end in pairs] for pairs in found]
