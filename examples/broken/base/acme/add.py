"""x + y, of any shape."""

import torch

from acme.paths import answered, switched_on, tilelang_found
from acme.pointwise import pointwise


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """x, y of one shape and float dtype, not empty; ACME_ADD=0 turns the kernel off."""
    return answered(custom, fallback, x, y) if switched_on("ACME_ADD") and tilelang_found() else fallback(x, y)


def custom(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return pointwise("add", x, y, x.dtype)


def fallback(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.add(x, y)
