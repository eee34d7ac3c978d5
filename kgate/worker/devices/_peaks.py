"""The most that a GPU was seen to do: what no kernel's time can be far below."""

from collections.abc import Callable
from typing import Any

TRIES = 10
COPY_BYTES = 1 << 30  # many times any L2 cache, so that every byte goes to memory
COPY_SHARE = 8  # of the device's memory at most one in so many, for each of both tensors
ROWS = 8192  # of square matrices; larger products are no faster


def peaks(name: str) -> dict[str, float]:
    """Bytes a second, read and written, of a copy; operations a second of a product of 16-bit matrices."""
    import torch

    try:
        return {"peak-bytes-per-s": copied(name), "peak-flops-per-s": multiplied(name)}
    except RuntimeError:  # no memory left for it, or no such product on this device: then there is no bound
        return {}
    finally:
        torch.cuda.empty_cache()


def copied(name: str) -> float:
    import torch

    total = torch.cuda.get_device_properties(name).total_memory
    source = torch.zeros(min(COPY_BYTES, total // COPY_SHARE), dtype=torch.uint8, device=name)
    target = torch.empty_like(source)
    return float(2 * source.numel()) / least_s(lambda: target.copy_(source))


def multiplied(name: str) -> float:
    """Of zeros, for which the device draws the least power and so keeps its highest clock."""
    import torch

    left, right, out = (torch.zeros(ROWS, ROWS, dtype=torch.bfloat16, device=name) for _ in range(3))
    return 2 * ROWS**3 / least_s(lambda: torch.matmul(left, right, out=out))


def least_s(call: Callable[[], Any]) -> float:
    """Of several tries; a device that does something else as well makes some of them slow."""
    import torch

    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    spans_ms: list[float] = []
    for _ in range(TRIES):
        begin.record()
        call()
        end.record()
        end.synchronize()
        spans_ms.append(begin.elapsed_time(end))
    return min(spans_ms) / 1e3
