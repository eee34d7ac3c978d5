"""
Memory that nobody has written, filled with a pattern, so that an output that was never written shows it.

On a CPU by glibc's own allocator, which fills whatever it hands out (mallopt(3), M_PERTURB); where the C library has no
such thing, nothing is filled. On a GPU by torch's, which hands the block that was freed last to who asks for its size.
"""

import contextlib
import ctypes
from collections.abc import Iterator, Mapping, Sequence

from kgate.protocol import Moment

# 0xFF is NaN in every float dtype; 0x7B is large and finite in all of them, float16 (61,280) and the fp8 ones included.
PATTERNS: Mapping[Moment, int] = {"memory of NaN": 0xFF, "memory of 1e36": 0x7B}
M_PERTURB = -6  # malloc.h
ANY = 0x100  # glibc fills with the low byte of (value ^ 0xFF), and only where the value is not 0
BLOCKS = 2  # of each size: an output, and a buffer of its size


@contextlib.contextmanager
def poisoned(byte: int, device: str, sizes_bytes: Sequence[int]) -> Iterator[None]:
    """Allocations within it begin as this byte; on a GPU those of about `sizes_bytes`."""
    if device != "cpu":
        fill_freed(byte, device, sizes_bytes)
    perturb = getattr(ctypes.CDLL(None), "mallopt", lambda parameter, value: 0)
    perturb(M_PERTURB, ANY | byte ^ 0xFF)
    try:
        yield
    finally:
        perturb(M_PERTURB, 0)


def fill_freed(byte: int, device: str, sizes_bytes: Sequence[int]) -> None:
    import torch

    held = [
        torch.full((size,), byte, dtype=torch.uint8, device=device)
        for size in sizes_bytes
        for _ in range(BLOCKS if size else 0)
    ]
    del held
