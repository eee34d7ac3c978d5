"""How near two tensors are to each other, by their bits, their numbers and their memory."""

import math
from typing import Any

PIECE = 1 << 24  # elements that are looked at together: in float64 the difference takes many times an output's memory


def extent(tensor: Any) -> tuple[int, int]:
    """The addresses from its first element to behind its last."""
    last = sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride(), strict=True))
    start = tensor.data_ptr()
    return (start, start + (last + 1) * tensor.element_size()) if tensor.numel() else (0, 0)


def overlap(one: Any, other: Any) -> bool:
    (a, b), (c, d) = extent(one), extent(other)
    return a < d and c < b and one.device == other.device


def same_bits(one: Any, other: Any) -> bool:
    import torch

    if (one.shape, one.dtype, one.device) != (other.shape, other.dtype, other.device):
        return False
    flat = [t.detach().resolve_conj().resolve_neg().contiguous().view(-1).view(torch.uint8) for t in (one, other)]
    return bool(torch.equal(*flat))


def distance(one: Any, other: Any) -> float:
    """Norm of the difference over the norm of the first; inf where only one of the two is finite."""
    pieces = [tensor.detach().reshape(-1).split(PIECE) for tensor in (one, other)]
    apart = size = 0.0
    for left, right in zip(*pieces, strict=True):
        further, more = norms(left, right)
        apart, size = math.hypot(apart, further), math.hypot(size, more)
    return apart / max(size, 1e-300) if apart else 0.0


def norms(one: Any, other: Any) -> tuple[float, float]:
    """Of the difference, and of the finite numbers of the first."""
    import torch

    wide = torch.complex128 if one.is_complex() else torch.float64
    left, right = one.to(wide), other.to(wide)
    same = (left == right) | (left.isnan() & right.isnan())
    apart = (left - right).abs().masked_fill(same, 0.0).nan_to_num(nan=float("inf"), posinf=float("inf"))
    return float(apart.norm()), float(left.abs().nan_to_num(0.0, 0.0, 0.0).norm())
